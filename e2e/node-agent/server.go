// What the API server asks of a kubelet for people: exec, by Kubernetes' own server of its streaming protocols, and logs.
// One HTTPS server is every node; it refuses attach, port forwarding, and logs that are followed.

package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
	streams "k8s.io/apimachinery/pkg/util/remotecommand"
	client "k8s.io/client-go/tools/remotecommand"
	"k8s.io/kubelet/pkg/cri/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

const (
	idle    = time.Hour
	waiting = 30 * time.Second
)

// serve answers the port that it listens on, on loopback; it ends with ctx.
func serve(ctx context.Context, a *agent) (int, error) {
	certificate, err := selfSigned()
	if err != nil {
		return 0, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/exec/{namespace}/{pod}/{container}", a.serveExec)
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", a.serveLogs)
	// HTTP/1.1 only: SPDY begins with an upgrade.
	settings := &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"http/1.1"}}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: waiting}
	go func() { log.Printf("serving: %v", server.Serve(tls.NewListener(listener, settings))) }()
	go func() { <-ctx.Done(); _ = server.Close() }()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func (a *agent) containerOf(r *http.Request) (*podRun, *container) {
	p := a.find(r.PathValue("namespace"), r.PathValue("pod"))
	if p == nil {
		return nil, nil
	}
	for _, c := range p.containers {
		if c.spec.Name == r.PathValue("container") {
			return p, c
		}
	}
	return p, nil
}

func (a *agent) serveExec(w http.ResponseWriter, r *http.Request) {
	p, c := a.containerOf(r)
	if c == nil {
		http.Error(w, "no such container", http.StatusNotFound)
		return
	}
	wanted, err := remotecommand.NewOptions(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	command := r.URL.Query()["command"]
	remotecommand.ServeExec(w, r, c, p.pod.Name, p.pod.UID, c.spec.Name, command, wanted,
		idle, waiting, streams.SupportedStreamingProtocols)
}

// ExecInContainer is what remotecommand.Executor asks for.
func (c *container) ExecInContainer(ctx context.Context, _ string, _ types.UID, _ string, argv []string,
	in io.Reader, out, err io.WriteCloser, terminal bool, sizes <-chan client.TerminalSize, _ time.Duration) error {
	c.pod.mu.Lock()
	sandbox, running, env := c.pod.sandbox, c.state.Running != nil, c.env
	c.pod.mu.Unlock()
	if sandbox == nil || !running {
		return errors.New("the container does not run")
	}
	if len(argv) == 0 {
		return errors.New("no command")
	}
	command := sandbox.enter(argv, env)
	finish, failure := begin(command, in, out, err, terminal, sizes)
	if failure != nil {
		return failure
	}
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-ctx.Done():
			kill(command)
		case <-ended:
		}
	}()
	code := codeOf(command.Wait())
	finish()
	if code != 0 {
		return utilexec.CodeExitError{Err: fmt.Errorf("exit code %d", code), Code: int(code)}
	}
	return nil
}

// begin starts the command with its streams. After the command, finish returns when all of its output has been written.
func begin(command *exec.Cmd, in io.Reader, out, err io.Writer, terminal bool,
	sizes <-chan client.TerminalSize) (finish func(), failure error) {
	if terminal {
		return startInTerminal(command, in, out, sizes)
	}
	if out != nil {
		command.Stdout = out
	}
	if err != nil {
		command.Stderr = err
	}
	var input io.WriteCloser
	if in != nil { // not as command.Stdin: then its end would wait for the end of the input
		if input, failure = command.StdinPipe(); failure != nil {
			return nil, failure
		}
	}
	if failure = start(command); failure != nil {
		return nil, failure
	}
	if input != nil {
		go func() { _, _ = io.Copy(input, in); _ = input.Close() }()
	}
	return func() {}, nil
}

func (a *agent) serveLogs(w http.ResponseWriter, r *http.Request) {
	_, c := a.containerOf(r)
	if c == nil {
		http.Error(w, "no such container", http.StatusNotFound)
		return
	}
	if r.FormValue("follow") == "true" {
		http.Error(w, "the node agent does not follow logs", http.StatusNotImplemented)
		return
	}
	text, err := os.ReadFile(c.log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	lines := strings.SplitAfter(string(text), "\n")
	if tail, err := strconv.Atoi(r.FormValue("tailLines")); err == nil && tail >= 0 {
		lines = lines[max(0, len(lines)-1-tail):] // the last of them is what follows the last line's end
	}
	_, _ = io.WriteString(w, strings.Join(lines, ""))
}

// selfSigned: without --kubelet-certificate-authority the API server takes any certificate.
func selfSigned() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(30 * 24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}
