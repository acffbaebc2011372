// A terminal for exec: a pair of pseudo-terminals of the machine, whose one side is the input and output of the command and its
// controlling terminal. Output and errors are one stream, as in a kubelet.

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
	client "k8s.io/client-go/tools/remotecommand"
)

// openTerminal is the agent's side and the command's side of a new pair.
func openTerminal() (ours, theirs *os.File, err error) {
	ours, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			_ = ours.Close()
		}
	}()
	number, err := ioctl(ours, func(fd int) (int, error) { return unix.IoctlGetInt(fd, unix.TIOCGPTN) })
	if err != nil {
		return nil, nil, fmt.Errorf("the number of the terminal: %w", err)
	}
	if _, err = ioctl(ours, func(fd int) (int, error) { return 0, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0) }); err != nil {
		return nil, nil, fmt.Errorf("unlocking the terminal: %w", err)
	}
	theirs, err = os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|syscall.O_NOCTTY, 0)
	return ours, theirs, err
}

// ioctl leaves the file with Go's poller, so that its end ends a read.
func ioctl(file *os.File, call func(fd int) (int, error)) (value int, err error) {
	raw, err := file.SyscallConn()
	if err != nil {
		return 0, err
	}
	if failure := raw.Control(func(fd uintptr) { value, err = call(int(fd)) }); failure != nil {
		return 0, failure
	}
	return value, err
}

// startInTerminal starts the command in a terminal of its own. After the command, finish returns when all of its output has been written.
func startInTerminal(command *exec.Cmd, in io.Reader, out io.Writer, sizes <-chan client.TerminalSize) (finish func(), err error) {
	ours, theirs, err := openTerminal()
	if err != nil {
		return nil, err
	}
	command.Stdin, command.Stdout, command.Stderr = theirs, theirs, theirs
	// The leader of a session leads a process group, which kill ends.
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setsid: true, Setctty: true}
	err = start(command)
	_ = theirs.Close()
	if err != nil {
		_ = ours.Close()
		return nil, err
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		if out == nil {
			out = io.Discard
		}
		_, _ = io.Copy(out, ours) // a read fails when no process has the other side
	}()
	if in != nil {
		go func() { _, _ = io.Copy(ours, in) }()
	}
	go func() { // until the streams end
		for size := range sizes {
			_, _ = ioctl(ours, func(fd int) (int, error) {
				return 0, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: size.Height, Col: size.Width})
			})
		}
	}()
	return func() { <-written; _ = ours.Close() }, nil
}
