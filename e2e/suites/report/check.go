// check.go reads reports of the policy API's suites, a list in JSON on its input, as upstream's own types have them, and prints what they
// read. It is run in the folder of the suite whose version the types are of (../anp, ../cnp). Refuses a field that the types do not have.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	report "sigs.k8s.io/network-policy-api/conformance/apis/v1alpha1"
)

func main() {
	reports := []report.ConformanceReport{}
	decoder := json.NewDecoder(os.Stdin)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&reports)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(reports)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
