// A pod's sandbox: namespaces held by one process, which sees the containers' root as its own and does nothing. As it
// is the first of its PID namespace, the kernel ends everything in the sandbox with it, and it with the agent.

package main

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// hold runs in the new namespaces. $1 is the root, $2 the host name. It is ready when its root is the new one: others
// enter by that, and it ends with its input.
const hold = `set -e
mount --make-rprivate /
mount -t proc proc "$1/proc"
printf %s "$2" > "$1/proc/sys/kernel/hostname"
ip link set lo up
exec chroot "$1" /bin/bash -c 'echo ready; read -r _'`

type sandbox struct {
	command *exec.Cmd
	input   io.Closer
	pid     int
	close   sync.Once
}

// startSandbox makes the namespaces; netnsPID is a process whose network namespace it shares, 0: it has its own.
func startSandbox(root, hostname string, netnsPID int) (*sandbox, error) {
	argv := []string{"/bin/sh", "-c", hold, "sandbox", root, hostname}
	flags := uintptr(syscall.CLONE_NEWUTS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWIPC)
	if netnsPID == 0 {
		flags |= syscall.CLONE_NEWNET
	} else {
		argv = append([]string{"nsenter", fmt.Sprintf("--net=/proc/%d/ns/net", netnsPID)}, argv...)
	}
	command := exec.Command(argv[0], argv[1:]...)
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags, Pdeathsig: syscall.SIGKILL, Setpgid: true}
	input, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var complaints strings.Builder
	command.Stderr = &complaints
	if err := start(command); err != nil {
		return nil, err
	}
	s := &sandbox{command: command, input: input, pid: command.Process.Pid}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil || line != "ready\n" {
		s.end()
		return nil, fmt.Errorf("the sandbox did not start: %s", strings.TrimSpace(complaints.String()))
	}
	return s, nil
}

// end returns when every process in the sandbox is gone, and with them the namespaces.
func (s *sandbox) end() {
	s.close.Do(func() {
		_ = s.command.Process.Kill()
		_ = s.input.Close()
		_ = s.command.Wait() // the kernel lets the first process of a PID namespace go last
	})
}

// enter is a program of the containers' root, to be started in the sandbox.
func (s *sandbox) enter(argv, env []string) *exec.Cmd {
	into := []string{
		"--target", strconv.Itoa(s.pid), "--mount", "--uts", "--ipc", "--net", "--pid", "--root", "--wd", "--",
	}
	command := exec.Command("nsenter", append(into, argv...)...)
	command.Env = env
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	return command
}

// kill ends a command that start started, and what it started in its process group.
func kill(command *exec.Cmd) {
	_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
}

var starts = make(chan func())

// start starts a command on the one thread that never ends: the kernel counts the end of the thread that started a
// process as the end of its parent (prctl(2), PR_SET_PDEATHSIG).
func start(command *exec.Cmd) error {
	done := make(chan error)
	starts <- func() { done <- command.Start() }
	return <-done
}

func init() {
	go func() {
		runtime.LockOSThread()
		for f := range starts {
			f()
		}
	}()
}
