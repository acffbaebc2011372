// Node-agent is every node of a cluster for tests: it binds pods to nodes, runs their containers in namespaces of the
// kernel, and serves exec and logs. What reaches a pod is up to a network behind a socket (../conformance/network.ts).
//
// It refuses pods that ask for what it has not: volumes, probes, init containers. All that it starts ends with it,
// however it ends: every sandbox has a PID namespace, whose first process the kernel kills when the agent is gone.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// options are the agent's flags; every path is absolute.
type options struct {
	kubeconfig string
	// root is the file system of every container, whatever its image is.
	root string
	// logs is the folder of the containers' logs.
	logs string
	// network is the socket of the pod network.
	network string
	// nodes is a JSON file: a list of nodeSpec.
	nodes string
}

// nodeSpec is a node as the network made it.
type nodeSpec struct {
	Name        string   `json:"name"`
	InternalIPs []string `json:"internalIPs"`
	PodCIDRs    []string `json:"podCIDRs"`
	// NetnsPID is a process in the node's network namespace, which pods on the host network share.
	NetnsPID int `json:"netnsPid"`
}

func main() {
	log.SetFlags(log.Ltime | log.Lmicroseconds)
	var o options
	flag.StringVar(&o.kubeconfig, "kubeconfig", "", "who the agent is, and where the API server is")
	flag.StringVar(&o.root, "root", "", "the folder that is the root of every container")
	flag.StringVar(&o.logs, "logs", "", "the folder of the containers' logs")
	flag.StringVar(&o.network, "network", "", "the socket of the pod network")
	flag.StringVar(&o.nodes, "nodes", "", "a JSON file that says which nodes there are")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	go func() { // whoever started it holds its input open
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	if err := run(ctx, o); err != nil {
		log.Fatalf("node-agent: %v", err)
	}
}

// run returns nil when ctx is done, with everything ended.
func run(ctx context.Context, o options) error {
	var specs []nodeSpec
	text, err := os.ReadFile(o.nodes)
	if err == nil {
		err = json.Unmarshal(text, &specs)
	}
	if err != nil {
		return fmt.Errorf("the list of nodes: %w", err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 200, 400
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	agent := newAgent(o, client, newNetwork(o.network))
	port, err := serve(ctx, agent)
	if err != nil {
		return err
	}
	for _, spec := range specs {
		node, err := newNode(spec)
		if err != nil {
			return fmt.Errorf("node %s: %w", spec.Name, err)
		}
		if err := node.publish(ctx, client, port); err != nil {
			return fmt.Errorf("node %s: %w", spec.Name, err)
		}
		agent.nodes = append(agent.nodes, node)
	}

	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods()
	services := factory.Core().V1().Services()
	slices := factory.Discovery().V1().EndpointSlices()
	agent.pods = pods.Lister()
	balancers := newBalancers(agent.network, services.Lister(), slices.Lister())
	for _, informer := range []cache.SharedIndexInformer{services.Informer(), slices.Informer()} {
		if _, err := informer.AddEventHandler(balancers.handler()); err != nil {
			return err
		}
	}
	inform := pods.Informer()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	// Addresses of pods that were here before must be taken before any other pod is given one.
	agent.adopt()
	if _, err := inform.AddEventHandler(agent.handler(ctx)); err != nil {
		return err
	}
	go balancers.run(ctx)
	go agent.bindAll(ctx)
	fmt.Println("ready")
	<-ctx.Done()
	agent.wait()
	return nil
}
