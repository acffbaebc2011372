// One container: its command in the pod's sandbox, again after it ends where the pod's restartPolicy says so, after
// pauses as a kubelet makes them. Image and root are the same for all: agnhost, with bash beside it.

package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	firstBackoff = 10 * time.Second
	lastBackoff  = 5 * time.Minute
)

// container's fields but pod, spec and log are guarded by the pod's lock.
type container struct {
	pod   *podRun
	spec  *v1.Container
	log   string
	state v1.ContainerState
	last  v1.ContainerState
	// env is that of its latest start.
	env      []string
	started  bool
	over     bool
	restarts int32
}

func newContainer(p *podRun, spec *v1.Container) *container {
	c := &container{pod: p, spec: spec}
	c.log = filepath.Join(p.agent.options.logs, fmt.Sprintf("%s_%s_%s.log", p.pod.Namespace, p.pod.Name, spec.Name))
	c.state.Waiting = &v1.ContainerStateWaiting{Reason: "ContainerCreating"}
	for _, was := range p.pod.Status.ContainerStatuses { // the agent was started again
		if was.Name == spec.Name && was.ContainerID != "" {
			c.restarts, c.last = was.RestartCount+1, was.LastTerminationState
		}
	}
	return c
}

// run returns when the container is not to be started again.
func (c *container) run() {
	backoff := firstBackoff
	for {
		code, err := c.once()
		if c.pod.ctx.Err() != nil {
			return
		}
		if err != nil {
			log.Printf("%s/%s: container %s: %v", c.pod.pod.Namespace, c.pod.pod.Name, c.spec.Name, err)
			c.wait("CreateContainerError", err.Error())
		} else if !c.restart(code) {
			c.pod.change(func() { c.over = true })
			return
		}
		select {
		case <-c.pod.ctx.Done():
			return
		case <-time.After(backoff):
		}
		c.pod.change(func() { c.last, c.restarts = c.state, c.restarts+1 })
		backoff = min(2*backoff, lastBackoff)
	}
}

func (c *container) restart(code int32) bool {
	switch c.pod.pod.Spec.RestartPolicy {
	case v1.RestartPolicyNever:
		return false
	case v1.RestartPolicyOnFailure:
		return code != 0
	}
	return true
}

func (c *container) wait(reason, message string) {
	waiting := &v1.ContainerStateWaiting{Reason: reason, Message: message}
	c.pod.change(func() { c.state = v1.ContainerState{Waiting: waiting} })
}

// once runs the command to its end.
func (c *container) once() (int32, error) {
	argv, env, err := commandOf(c.pod, c.spec)
	if err != nil {
		return 0, err
	}
	output, err := os.OpenFile(c.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return 0, err
	}
	defer output.Close()
	c.pod.mu.Lock()
	sandbox := c.pod.sandbox
	c.pod.mu.Unlock()
	if sandbox == nil {
		return 0, errors.New("its sandbox is gone")
	}
	command := sandbox.enter(argv, env)
	command.Stdout, command.Stderr = output, output
	if err := start(command); err != nil {
		return 0, err
	}
	begun := metav1.Now()
	c.pod.change(func() {
		c.env, c.started = env, true
		c.state = v1.ContainerState{Running: &v1.ContainerStateRunning{StartedAt: begun}}
	})
	err = command.Wait()
	kill(command)
	code := codeOf(err)
	if c.pod.ctx.Err() == nil {
		log.Printf("%s/%s: container %s ended with %d", c.pod.pod.Namespace, c.pod.pod.Name, c.spec.Name, code)
	}
	ended := &v1.ContainerStateTerminated{
		ExitCode: code, Reason: "Completed", StartedAt: begun, FinishedAt: metav1.Now(), ContainerID: c.id(),
	}
	if code != 0 {
		ended.Reason = "Error"
	}
	c.pod.change(func() { c.state = v1.ContainerState{Terminated: ended} })
	return code, nil
}

// codeOf is the exit code as a shell tells it.
func codeOf(err error) int32 {
	var exit *exec.ExitError
	if err == nil {
		return 0
	}
	if !errors.As(err, &exit) {
		return 128
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int32(status.Signal())
	}
	return int32(exit.ExitCode())
}

// commandOf is what the container runs, with its environment: agnhost's entry point, and "pause" without arguments.
func commandOf(p *podRun, spec *v1.Container) (argv, env []string, err error) {
	values := map[string]string{
		"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOSTNAME": p.hostname(),
	}
	order := []string{"PATH", "HOSTNAME"}
	for _, variable := range spec.Env {
		value := expand(variable.Value, values)
		if variable.ValueFrom != nil {
			if value, err = p.field(variable); err != nil {
				return nil, nil, err
			}
		}
		if _, known := values[variable.Name]; !known {
			order = append(order, variable.Name)
		}
		values[variable.Name] = value
	}
	for _, name := range order {
		env = append(env, name+"="+values[name])
	}
	argv = spec.Command
	arguments := spec.Args
	if len(argv) == 0 {
		argv = []string{"/agnhost"}
		if len(arguments) == 0 {
			arguments = []string{"pause"}
		}
	}
	var expanded []string
	for _, word := range append(append([]string{}, argv...), arguments...) {
		expanded = append(expanded, expand(word, values))
	}
	return expanded, env, nil
}

// expand replaces $(NAME) by its value where it has one, and $$ by $.
func expand(text string, values map[string]string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '$' || i+1 == len(text) {
			out.WriteByte(text[i])
			continue
		}
		if text[i+1] == '$' {
			out.WriteByte('$')
			i++
			continue
		}
		end := strings.IndexByte(text[i:], ')')
		if text[i+1] != '(' || end < 0 {
			out.WriteByte('$')
			continue
		}
		if value, known := values[text[i+2:i+end]]; known {
			out.WriteString(value)
		} else {
			out.WriteString(text[i : i+end+1])
		}
		i += end
	}
	return out.String()
}
