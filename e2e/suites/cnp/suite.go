// Package cnp names the conformance suite of ClusterNetworkPolicy, so that go.mod has all that
// its tests need. ../build.sh compiles those tests where they are, in upstream's own module; nothing is copied in here.
package cnp

import _ "sigs.k8s.io/network-policy-api/conformance"
