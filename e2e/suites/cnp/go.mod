// Written by ../generate.sh: the conformance suite of sigs.k8s.io/network-policy-api v0.2.0.

module northgate.example/suites/cnp

go 1.25.0

require sigs.k8s.io/network-policy-api v0.2.0 // indirect
