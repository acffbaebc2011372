package sctp

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const inNamespace = "SCTP_TEST_NAMESPACE"

// The tests of sockets run in a network namespace of their own, with addresses of both families; without rights to one they
// are skipped by name.
func TestMain(m *testing.M) {
	if os.Getenv(inNamespace) != "" {
		os.Exit(m.Run())
	}
	script := `ip link set lo up && ip address add fd00::1/128 dev lo && ip address add fd00::2/128 dev lo && exec "$0" "$@"`
	enter := []string{"--net", "--", "/bin/sh", "-c", script}
	if os.Getuid() != 0 {
		enter = append([]string{"--user", "--map-root-user"}, enter...)
	}
	probe := exec.Command("unshare", append(append([]string{}, enter...), "/bin/true")...)
	if out, err := probe.CombinedOutput(); err != nil {
		os.Setenv(inNamespace, "no network namespace: "+strings.TrimSpace(string(out)+" "+err.Error()))
		os.Exit(m.Run())
	}
	again := exec.Command("unshare", append(enter, os.Args...)...)
	again.Env = append(os.Environ(), inNamespace+"=yes")
	again.Stdin, again.Stdout, again.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := again.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(again.ProcessState.ExitCode())
}

func needsSockets(t *testing.T) {
	t.Helper()
	if why := os.Getenv(inNamespace); why != "yes" {
		t.Skip(why)
	}
	if s, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, protocolNumber); err == nil {
		syscall.Close(s)
		t.Skip("this kernel has SCTP, which would answer too")
	}
}

func resolved(t *testing.T, text string) *SCTPAddr {
	t.Helper()
	addr, err := ResolveSCTPAddr("sctp", text)
	if err != nil {
		t.Fatal(err)
	}
	return addr
}

// echo answers each message in capitals until the other end shuts down. Associations whose shutdown was lost end with the test:
// they would keep the listener's sockets open into the next one.
func echo(t *testing.T, at string) *SCTPListener {
	t.Helper()
	l, err := ListenSCTP("sctp", resolved(t, at))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { endAll(l) })
	go func() {
		for {
			conn, err := l.AcceptSCTP()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				buffer := make([]byte, 1024)
				for {
					n, err := conn.Read(buffer)
					if err != nil {
						return
					}
					_, _ = conn.Write([]byte(strings.ToUpper(string(buffer[:n]))))
				}
			}()
		}
	}()
	return l
}

func endAll(l *SCTPListener) {
	l.Close()
	l.mutex.Lock()
	left := slices.Collect(maps.Values(l.associations))
	l.mutex.Unlock()
	for _, a := range left {
		a.fail(net.ErrClosed)
	}
}

func ask(to *SCTPAddr, text string) (string, error) {
	conn, err := DialSCTP("sctp", nil, to)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if _, err = conn.Write([]byte(text)); err != nil {
		return "", err
	}
	buffer := make([]byte, 1024)
	n, err := conn.Read(buffer)
	return string(buffer[:n]), err
}

func TestAnAnswerComesFromEachAddressThatWasAsked(t *testing.T) {
	needsSockets(t)
	echo(t, "0.0.0.0:9003")
	for _, host := range []string{"127.0.0.1", "127.0.0.2", "127.200.0.9", "[::1]", "[fd00::1]", "[fd00::2]"} {
		if got, err := ask(resolved(t, host+":9003"), "hello"); got != "HELLO" || err != nil {
			t.Errorf("%s: %q, %v", host, got, err)
		}
	}
}

func TestManyAskAtOnce(t *testing.T) {
	needsSockets(t)
	echo(t, ":9003")
	var wait sync.WaitGroup
	for i := range 60 {
		run(&wait, func() {
			text := fmt.Sprintf("message %d", i)
			if got, err := ask(resolved(t, "127.0.0.1:9003"), text); got != strings.ToUpper(text) || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	wait.Wait()
}

func TestTwoListenersShareANamespaceAndOneAPortNot(t *testing.T) {
	needsSockets(t)
	echo(t, "0.0.0.0:9003")
	other := echo(t, "0.0.0.0:9005")
	for _, port := range []string{"9003", "9005"} {
		if got, err := ask(resolved(t, "127.0.0.1:"+port), port+"x"); got != port+"X" || err != nil {
			t.Errorf("%s: %q, %v", port, got, err)
		}
	}
	if _, err := ListenSCTP("sctp", resolved(t, "0.0.0.0:9005")); !errors.Is(err, syscall.EADDRINUSE) {
		t.Error(err)
	}
	other.Close()
	again, err := ListenSCTP("sctp", resolved(t, "0.0.0.0:9005"))
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

func TestAPortWithoutAListenerRefuses(t *testing.T) {
	needsSockets(t)
	l := echo(t, "0.0.0.0:9003")
	for _, host := range []string{"127.0.0.1", "[::1]"} {
		if _, err := ask(resolved(t, host+":9004"), "x"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("%s: %v", host, err)
		}
	}
	l.Close()
}

func TestWhereNobodySpeaksSCTPTheKernelSaysSo(t *testing.T) {
	needsSockets(t)
	// From 127.0.0.1, so that the client's own socket, which is of one protocol with a listener's, does not take what it sent.
	if _, err := ask(resolved(t, "127.0.0.2:9003"), "x"); !errors.Is(err, syscall.ENOPROTOOPT) {
		t.Error(err)
	}
}

func TestAListenerAtOneAddressIsAtNoOther(t *testing.T) {
	needsSockets(t)
	echo(t, "127.0.0.2:9003")
	if got, err := ask(resolved(t, "127.0.0.2:9003"), "x"); got != "X" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := ask(resolved(t, "127.0.0.3:9003"), "x"); !errors.Is(err, syscall.ENOPROTOOPT) {
		t.Error(err)
	}
}

// porter of agnhost: it writes at once, closes, and never reads what the client says.
func TestAServerThatSpeaksFirstAndClosesIsHeard(t *testing.T) {
	needsSockets(t)
	l, err := ListenSCTP("sctp", resolved(t, "0.0.0.0:9003"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.AcceptSCTP()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("foo"))
			conn.Close()
		}
	}()
	for range 20 {
		conn, err := DialSCTP("sctp", nil, resolved(t, "127.0.0.1:9003"))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = conn.Write([]byte("hostname\n"))
		buffer := make([]byte, 1024)
		if n, err := conn.Read(buffer); err != nil || string(buffer[:n]) != "foo" {
			t.Fatalf("%q, %v", buffer[:n], err)
		}
		if _, err := conn.Read(buffer); !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		conn.Close()
	}
	noAssociationIsLeft(t, l)
}

// A client that was killed, and one that has its port: the listener has the old association yet.
func TestAClientStartedAgainReplacesItsEarlierSelf(t *testing.T) {
	needsSockets(t)
	l, err := ListenSCTP("sctp", resolved(t, "0.0.0.0:9003"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	at := &SCTPAddr{IPAddrs: []net.IPAddr{{IP: net.IPv4(127, 0, 0, 1)}}, Port: 40001}
	both := func() (client, server *SCTPConn) {
		if client, err = DialSCTP("sctp", at, resolved(t, "127.0.0.1:9003")); err != nil {
			t.Fatal(err)
		}
		if server, err = l.AcceptSCTP(); err != nil {
			t.Fatal(err)
		}
		return client, server
	}
	first, served := both()
	// It dies without a word.
	first.association.send = func([]byte) error { return nil }
	first.association.fail(errors.New("killed"))
	second, servedAgain := both()
	buffer := make([]byte, 10)
	if _, err := served.Read(buffer); !errors.Is(err, syscall.ECONNRESET) {
		t.Fatal(err)
	}
	if _, err := second.Write([]byte("again")); err != nil {
		t.Fatal(err)
	}
	if n, err := servedAgain.Read(buffer); err != nil || string(buffer[:n]) != "again" {
		t.Fatal(n, err)
	}
	second.Close()
	noAssociationIsLeft(t, l)
}

// An association that outlives its listener keeps the sockets open, and they see what the next listener at the port serves.
func TestAListenerThatWasReplacedAbortsNothing(t *testing.T) {
	needsSockets(t)
	earlier, err := ListenSCTP("sctp", resolved(t, "0.0.0.0:9003"))
	if err != nil {
		t.Fatal(err)
	}
	lasting, err := DialSCTP("sctp", nil, resolved(t, "127.0.0.1:9003"))
	if err != nil {
		t.Fatal(err)
	}
	defer endAll(earlier)
	defer lasting.association.fail(net.ErrClosed)
	earlier.Close()
	echo(t, "0.0.0.0:9003")
	for range 20 {
		if got, err := ask(resolved(t, "127.0.0.1:9003"), "hello"); got != "HELLO" || err != nil {
			t.Fatalf("%q, %v", got, err)
		}
	}
}

func TestAReadDeadlinePasses(t *testing.T) {
	needsSockets(t)
	echo(t, "0.0.0.0:9003")
	conn, err := DialSCTP("sctp", nil, resolved(t, "127.0.0.1:9003"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetReadDeadline(time.Now().Add(time.Millisecond))
	var timeout net.Error
	if _, err := conn.Read(make([]byte, 1)); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Fatal(err)
	}
}

// noAssociationIsLeft has the test's own time limit and no other.
func noAssociationIsLeft(t *testing.T, l *SCTPListener) {
	t.Helper()
	for {
		l.mutex.Lock()
		left := len(l.associations)
		l.mutex.Unlock()
		if left == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
