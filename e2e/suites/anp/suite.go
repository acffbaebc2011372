// Package anp names the conformance suite of AdminNetworkPolicy and BaselineAdminNetworkPolicy, so that go.mod has all that
// its tests need. ../build.sh compiles those tests where they are, in upstream's own module; nothing is copied in here.
package anp

import _ "sigs.k8s.io/network-policy-api/conformance"
