// A CNI plugin (CNI specification 1.0.0): hands what the runtime asks to the pod network of the cluster, over the unix socket that
// the configuration names, and prints its answer. The other end is ../../cni-server.ts.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
)

// request is what the runtime gives a plugin: its variables, and its configuration as it is.
type request struct {
	Command     string          `json:"command"`
	ContainerID string          `json:"containerId"`
	Netns       string          `json:"netns"`
	Ifname      string          `json:"ifname"`
	Args        string          `json:"args"`
	Config      json.RawMessage `json:"config"`
}

func main() {
	if err := run(); err != nil {
		// Error codes from 100 on are a plugin's own.
		_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"cniVersion": "0.4.0", "code": 100, "msg": err.Error()})
		os.Exit(1)
	}
}

func run() error {
	if os.Getenv("CNI_COMMAND") == "VERSION" {
		_, err := fmt.Println(`{"cniVersion":"0.4.0","supportedVersions":["0.3.1","0.4.0"]}`)
		return err
	}
	config, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	var ours struct {
		Socket string `json:"socket"`
	}
	if err := json.Unmarshal(config, &ours); err != nil {
		return fmt.Errorf("the configuration: %w", err)
	}
	body, err := json.Marshal(request{
		os.Getenv("CNI_COMMAND"), os.Getenv("CNI_CONTAINERID"), os.Getenv("CNI_NETNS"),
		os.Getenv("CNI_IFNAME"), os.Getenv("CNI_ARGS"), config,
	})
	if err != nil {
		return err
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", ours.Socket)
	}
	client := http.Client{Transport: &http.Transport{DialContext: dial}}
	response, err := client.Post("http://network/cni", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the network: %s", answer)
	}
	_, err = os.Stdout.Write(answer)
	return err
}
