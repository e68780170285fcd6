package swap

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/process"
)

var (
	errClosed   = errors.New("the front is closed")
	errReplaced = errors.New("the server was replaced by a new build")
)

// start starts a version. Used takes the outcome if the version is new, else it is nil.
func (f *Front) start(v Version, used func(error)) {
	f.abandon()
	if v.Addr == "" && (f.stdio == nil || f.stdio.ending.Err() != nil) { // the next client starts it
		if used != nil {
			used(nil)
			f.wake()
		}
		return
	}
	srv, err := f.launch(v)
	f.next, f.used = srv, used
	switch {
	case err != nil:
		f.ready(nil, err)
	case srv.client != nil:
		srv.client.prepare(srv)
	default:
		f.work.Go(srv.awaitListening)
	}
}

// launch starts the process of a version.
func (f *Front) launch(v Version) (*server, error) {
	if f.ctx.Err() != nil {
		return nil, errClosed
	}
	cmd := exec.CommandContext(context.Background(), v.Command[0], v.Command[1:]...)
	cmd.Dir = v.Dir
	if len(v.Env) > 0 {
		cmd.Env = append(os.Environ(), v.Env...)
	}
	p, err := process.Start(cmd, f.options.Stderr)
	if err != nil {
		return nil, err
	}
	f.started++
	srv := &server{
		Running: p, front: f, addr: v.Addr, number: f.started, over: make(chan struct{}),
		pending: map[requestKey]*request{}, inputs: map[string]struct{}{}, asked: map[requestKey]question{}, joined: map[*session]joining{},
	}
	serving, work := f.ctx, &f.work
	if v.Addr == "" {
		srv.client = f.stdio
		serving, work = srv.client.ctx, &srv.client.work
	}
	srv.alive, srv.kill = context.WithCancelCause(serving)
	srv.newest, srv.replace = context.WithCancel(srv.alive)
	f.servers[srv] = struct{}{}
	work.Go(srv.run)
	return srv, nil
}

// abandon ends a start without an outcome.
func (f *Front) abandon() {
	if f.next != nil {
		f.next.kill(errReplaced)
		f.next, f.used = nil, nil
	}
}

// ready takes the outcome of a start, unless that was abandoned: the server becomes current, or calls get the error. The
// server is nil if its process did not start.
func (f *Front) ready(srv *server, err error) {
	if srv != f.next {
		return
	}
	used := f.used
	f.next, f.used = nil, nil
	if err == nil {
		old := f.current
		f.current, f.fault = srv, ""
		if f.stdio != nil {
			f.stdio.replaced(old, used != nil)
		}
		if old != nil {
			old.retire()
		}
	} else {
		f.fault = err.Error()
		if srv != nil {
			srv.killNow(err)
		}
		if used == nil {
			f.options.Logf("%s", f.fault)
		}
	}
	if used != nil {
		used(err)
	}
	f.wake()
}

// live returns the server that answers new requests; nil if there is none.
func (f *Front) live() *server {
	if f.current == nil || f.current.alive.Err() != nil {
		return nil
	}
	return f.current
}

// find returns a server that is alive and has a property; nil if there is none.
func (f *Front) find(has func(*server) bool) *server {
	for srv := range f.servers {
		if srv.alive.Err() == nil && has(srv) {
			return srv
		}
	}
	return nil
}

// serve decides who answers a request, or lets it wait.
func (f *Front) serve(r *request) {
	srv, fault := f.live(), cmp.Or(f.broken, f.fault)
	asking := f.find(func(srv *server) bool { return srv.awaits(r.message) })
	isRefused := r.isCall() && fault != "" && (srv == nil || !f.options.KeepLast)
	switch {
	case asking != nil:
		r.answer(asking, "")
	case f.building && (r.isCall() || srv == nil && r.isHandshake()), srv == nil && f.next != nil:
		f.hold(r)
	case isRefused, srv == nil && (f.fault != "" || f.version == nil):
		r.answer(nil, fault)
	case srv == nil: // it has ended by itself
		f.hold(r)
		f.start(*f.version, nil)
	default:
		r.answer(srv, "")
	}
}

// hold lets a request wait. The front answers a handshake that waits for too long.
func (f *Front) hold(r *request) {
	f.held = append(f.held, r)
	if !r.isHandshake() {
		return
	}
	time.AfterFunc(f.options.Start, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.next == nil && f.release(r) { // a start has its own limit
			r.answer(nil, "")
			f.wake()
		}
	})
}

// release removes a request from those that wait. It returns false if it does not wait.
func (f *Front) release(r *request) bool {
	i := slices.Index(f.held, r)
	if i < 0 {
		return false
	}
	f.held = slices.Delete(f.held, i, i+1)
	return true
}

// wake lets the requests and streams continue that need not wait any more.
func (f *Front) wake() {
	held := f.held
	f.held = nil
	for _, r := range held {
		f.serve(r)
	}
	close(f.changed)
	f.changed = make(chan struct{})
}

// cancelled forgets a request that its client has cancelled. It returns the server that has it, or the request if that
// waits.
func (f *Front) cancelled(key requestKey) (*server, *request) {
	for _, r := range f.held {
		if r.key == key {
			f.release(r)
			return nil, r
		}
	}
	srv := f.find(func(srv *server) bool { return srv.pending[key] != nil && srv.pending[key].take == nil })
	if srv != nil {
		delete(srv.pending, key)
	}
	return srv, nil
}
