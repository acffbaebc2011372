// Written by ../generate.sh: the conformance suite of sigs.k8s.io/network-policy-api v0.1.7.

module northgate.example/suites/anp

go 1.24.0

require sigs.k8s.io/network-policy-api v0.1.7 // indirect
