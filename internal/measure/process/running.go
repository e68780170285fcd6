package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// Grace is how long a program may take to exit after each request to do so.
const Grace = 2 * time.Second

// Parting is how long to wait for the remaining output of a program and its exit status if another process keeps the
// pipes open.
const Parting = 5 * time.Second

// A Running is a program in its own process group, connected through its stdin, stdout and stderr.
type Running struct {
	// In is its stdin.
	In *WriteQueue
	// Out is its stdout. The owner reads it to the end, and then calls OutEnded.
	Out *os.File
	// Stderr is the end of its stderr.
	Stderr *Tail

	process *os.Process
	errs    *os.File
	state   *os.ProcessState // nil if the system does not tell
	err     error            // why it does not

	eof    chan struct{} // closed at the end of stdout
	exited chan struct{} // closed on process exit
	gone   chan struct{} // closed after its descendants were killed
	silent chan struct{} // closed at the end of stderr
}

// Start starts a command, which runs until Stop. The command must not have a context, stdin, stdout or stderr. Its stderr
// is forwarded to stderr, which may be nil. The error is a [*StartError].
func Start(cmd *exec.Cmd, stderr io.Writer) (*Running, error) {
	p := &Running{
		Stderr: &Tail{To: stderr},
		eof:    make(chan struct{}), exited: make(chan struct{}), gone: make(chan struct{}), silent: make(chan struct{}),
	}
	if cmd.Dir != "" { // otherwise the error would name the program
		if _, err := os.Stat(cmd.Dir); err != nil {
			return nil, &StartError{fmt.Sprintf("the directory %s cannot be used: %v", cmd.Dir, errors.Unwrap(err)), err}
		}
	}
	OwnGroup(cmd)
	if err := p.start(cmd); err != nil {
		return nil, &StartError{whyNot(cmd.Args[0], err), err}
	}
	go func() {
		_, _ = io.Copy(p.Stderr, p.errs) // until the last writer has exited
		close(p.silent)
	}()
	go p.wait()
	return p, nil
}

// A StartError is the reason why a command does not start, with a fix.
type StartError struct {
	text string
	err  error
}

func (e *StartError) Error() string { return e.text }

func (e *StartError) Unwrap() error { return e.err }

// whyNot explains why a program does not start.
func whyNot(name string, err error) string {
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return fmt.Sprintf("%s is not found; give the path of a program, or its name if it is in PATH", name)
	case errors.Is(err, os.ErrPermission):
		return fmt.Sprintf("%s is not executable; if it is a program, run chmod +x", name)
	default:
		return fmt.Sprintf("%s does not start: %v", name, err)
	}
}

// start starts the process with explicit pipes. With the pipes of package exec, waiting for the process would also wait
// for the pipes.
func (p *Running) start(cmd *exec.Cmd) error {
	var ours, theirs [3]*os.File
	closeAll := func(files []*os.File) {
		for _, f := range files {
			if f != nil {
				_ = f.Close()
			}
		}
	}
	defer func() { closeAll(theirs[:]) }()
	for i := range ours {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ours[:])
			return err
		}
		if ours[i], theirs[i] = r, w; i == 0 {
			ours[i], theirs[i] = w, r
		}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]
	if err := cmd.Start(); err != nil {
		closeAll(ours[:])
		return err
	}
	p.process, p.Out, p.errs = cmd.Process, ours[1], ours[2]
	p.In = NewWriteQueue(ours[0])
	return nil
}

// wait waits for the process to exit and kills its remaining descendants.
func (p *Running) wait() {
	p.state, p.err = p.process.Wait()
	close(p.exited)
	select { // a descendant may still be writing a response
	case <-p.eof:
	case <-time.After(Grace):
	}
	KillGroup(p.process)
	soon := time.Now().Add(Parting) // for buffered output; no writer should be left
	_ = p.Out.SetReadDeadline(soon)
	_ = p.errs.SetReadDeadline(soon)
	close(p.gone)
}

// Exited is closed when the process has exited. Its descendants are killed soon after that.
func (p *Running) Exited() <-chan struct{} { return p.exited }

// Pid returns its process id.
func (p *Running) Pid() int { return p.process.Pid }

// OutEnded says that the owner has read Out to its end. It waits for the exit status and the last output on stderr, which
// explain most failures, but not longer than [Parting] each. It is called once.
func (p *Running) OutEnded() {
	close(p.eof)
	for _, done := range []<-chan struct{}{p.exited, p.silent} {
		select {
		case <-done:
		case <-time.After(Parting):
		}
	}
}

// Exit returns the exit status, as text and as a number, which is -1 if a signal ended the program; false while it runs.
func (p *Running) Exit() (state string, code int, ok bool) {
	select {
	case <-p.exited:
		if p.err != nil {
			return p.err.Error(), -1, true
		}
		return p.state.String(), p.state.ExitCode(), true
	default:
		return "", -1, false
	}
}

// ExitError returns the exit status as package exec does: nil if it is 0, or while the program runs.
func (p *Running) ExitError() *exec.ExitError {
	if _, code, ok := p.Exit(); !ok || code == 0 || p.state == nil {
		return nil
	}
	return &exec.ExitError{ProcessState: p.state}
}

// Terminate sends SIGTERM to the process and its descendants.
func (p *Running) Terminate() { TermGroup(p.process) }

// Kill kills the process and its descendants.
func (p *Running) Kill() { KillGroup(p.process) }

// Stop stops the process and its descendants, gracefully at first: it closes stdin, then sends SIGTERM, then SIGKILL,
// each after [Grace]. It returns when they have ended and out was read, which read reports by its end.
func (p *Running) Stop(read <-chan struct{}) error {
	p.In.Close(Grace)
	for _, harder := range []func(*os.Process){TermGroup, KillGroup} {
		select {
		case <-p.gone:
		case <-time.After(Grace):
			harder(p.process)
		}
	}
	for _, done := range []<-chan struct{}{p.gone, p.silent, read, p.In.Done()} {
		<-done
	}
	return errors.Join(p.Out.Close(), p.errs.Close())
}
