// The program that drives OVN-Kubernetes' AdminNetworkPolicy controller, unchanged, for `make bench W=peer`. It is built inside
// a checkout of OVN-Kubernetes by bench/peer/build.ts. It reads one request a line from stdin and answers on stdout, as
// bench/peer/protocol.ts says; it ends when stdin does. The controller's objects come from memory and its rows go to a real
// Northbound database.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
	anpfake "sigs.k8s.io/network-policy-api/pkg/client/clientset/versioned/fake"

	libovsdbclient "github.com/ovn-kubernetes/libovsdb/client"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/ovn-kubernetes/ovn-kubernetes/go-controller/pkg/config"
	"github.com/ovn-kubernetes/ovn-kubernetes/go-controller/pkg/libovsdb"
	addressset "github.com/ovn-kubernetes/ovn-kubernetes/go-controller/pkg/ovn/address_set"
	anpcontroller "github.com/ovn-kubernetes/ovn-kubernetes/go-controller/pkg/ovn/controller/admin_network_policy"
)

type request struct {
	Say string `json:"say"`
	// Of "prepare": the database, and the node on which every pod is.
	NB   string `json:"nb"`
	Node string `json:"node"`
	// Of "prepare" the objects, of "stage" the changes.
	Changes []change `json:"changes"`
}

// used is what the process has used since it began.
type used struct {
	// At is CLOCK_MONOTONIC in milliseconds.
	At    float64 `json:"at"`
	CPUMs float64 `json:"cpuMs"`
}

type report struct {
	used
	PeakRSSBytes int64 `json:"peakRssBytes"`
	// Changed is when the last change began.
	Changed used `json:"changed"`
	// QuietAt is when the controller had last finished an item of its queues, on the clock of At.
	QuietAt float64 `json:"quietAt"`
	// Ports are the logical switch ports that it knows.
	Ports int `json:"ports"`
	// Retries are items that failed and were put back.
	Retries int64 `json:"retries"`
}

type driver struct {
	node    string
	nb      string
	sources *sources
	queues  *queues
	client  libovsdbclient.Client
	staged  []decoded
	changed used
}

func main() {
	klog.InitFlags(nil)
	// Errors go to stderr, and nothing else anywhere: stdout is the bench's.
	must(flag.Set("logtostderr", "false"))
	must(flag.Set("stderrthreshold", "ERROR"))
	klog.SetOutput(io.Discard)
	d := &driver{queues: &queues{}}
	workqueue.SetProvider(d.queues)
	answers := json.NewEncoder(os.Stdout)
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked request
		must(json.Unmarshal(line, &asked))
		if answer := d.answer(asked); answer != nil {
			must(answers.Encode(answer))
		}
	}
}

func (d *driver) answer(asked request) any {
	switch asked.Say {
	case "prepare":
		d.nb, d.node = asked.NB, asked.Node
		d.sources = newSources()
		for _, one := range asked.Changes {
			d.sources.apply(d.sources.decode(one))
		}
		runtime.GC()
		return usedNow()
	case "start":
		d.start()
		return nil
	case "stage":
		d.staged = nil
		for _, one := range asked.Changes {
			d.staged = append(d.staged, d.sources.decode(one))
		}
		return usedNow()
	case "change":
		d.changed = usedNow()
		for _, one := range d.staged {
			d.sources.apply(one)
		}
		d.queues.touch()
		return nil
	case "report":
		return d.report()
	}
	panic(fmt.Sprintf("no request is called %q", asked.Say))
}

// start does what ovnkube-controller does for this controller: a client of the database, informers, one worker of each queue.
func (d *driver) start() {
	d.changed = usedNow()
	must(config.PrepareTestConfig())
	config.OVNKubernetesFeature.EnableAdminNetworkPolicy = true
	config.IPv4Mode, config.IPv6Mode = true, false
	never := make(chan struct{})
	client, err := libovsdb.NewNBClientWithEndpoint(d.nb, prometheus.NewRegistry(), never)
	must(err)
	d.client = client
	factory := addressset.NewOvnAddressSetFactory(client, config.IPv4Mode, config.IPv6Mode)
	statuses := anpfake.NewSimpleClientset(d.sources.policies()...)
	d.sources.statuses = statuses.Tracker()
	s := d.sources
	controller, err := anpcontroller.NewController("default-network-controller", client, statuses,
		s.anps, s.banps, s.namespaces, s.pods, s.nodes, factory, d.node, record.NewFakeRecorder(0), nil)
	must(err)
	s.run(never)
	go controller.Run(1, never)
}

// report waits until the controller has nothing left to do.
func (d *driver) report() report {
	const still = 25 * time.Millisecond
	for d.client == nil || !d.sources.synced() || !d.queues.quietFor(still) {
		time.Sleep(5 * time.Millisecond)
	}
	now := usedNow()
	var usage unix.Rusage
	must(unix.Getrusage(unix.RUSAGE_SELF, &usage))
	ports := 0
	if table := d.client.Cache().Table("Logical_Switch_Port"); table != nil {
		ports = table.Len()
	}
	return report{
		used: now, PeakRSSBytes: usage.Maxrss * 1024, Changed: d.changed,
		QuietAt: d.queues.quietAt(), Ports: ports, Retries: d.queues.retries.Load(),
	}
}

func usedNow() used {
	var usage unix.Rusage
	must(unix.Getrusage(unix.RUSAGE_SELF, &usage))
	ms := func(t unix.Timeval) float64 { return float64(t.Sec)*1e3 + float64(t.Usec)/1e3 }
	return used{At: monotonicMs(), CPUMs: ms(usage.Utime) + ms(usage.Stime)}
}

func monotonicMs() float64 {
	var now unix.Timespec
	must(unix.ClockGettime(unix.CLOCK_MONOTONIC, &now))
	return float64(now.Sec)*1e3 + float64(now.Nsec)/1e6
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
