package streamhttp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
)

// ListenAndServe listens on the TCP address addr, such as ":8080" for all interfaces, and calls
// [Serve]. With port 0 the system chooses a port; the log has the address.
func ListenAndServe(ctx context.Context, addr string, srv *runtime.Server, opts ...ServeOption) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	switch {
	case err == nil:
		return Serve(ctx, l, srv, opts...)
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("%w: stop the program that uses the port, or choose another port", err)
	default:
		return fmt.Errorf(`%w: choose another address, such as ":8080"; ports below 1024 need privileges`, err)
	}
}

// Serve serves srv on l, which it closes, until ctx ends, and then shuts down gracefully. A nil srv
// means the same as for [NewHandler]. The paths are /mcp, the [MetadataPath] of [Protect], /healthz,
// with status 200, and /readyz, with status 503 after the end of ctx. Calls get the values of ctx.
//
// ReadHeaderTimeout of the [net/http.Server] is 5 seconds, ReadTimeout 1 minute, IdleTimeout 2
// minutes, MaxHeaderBytes 64 KiB. [HTTPServer] changes them, and adds HTTPS, paths and middleware.
//
// The steps of a shutdown are:
//
//  1. serve for the time of [ShutdownDelay] as before, but close connections after each response
//  2. refuse new requests, except those about tasks, such as tasks/get and tasks/result, and those that resume a stream, and
//     wait for tasks. If they are stored in memory, wait until their results were read, for at most twice the interval of polls
//  3. refuse all requests, wait for calls, and end streams, as [Handler.Shutdown] does; then wait for the remaining tasks, as
//     [runtime.Server.Shutdown] does; durable ones that are still running are left to other processes
//  4. close l and idle connections, and wait for requests to other paths. Before that, balancers
//     that look at answers have seen refusals for as long as the delay, but at most a second.
//
// When steps 2 to 4 have taken the time of [Grace], they cancel what is left. That takes at most five
// times Limits.CloseGrace of srv, and 10 seconds more if a task store blocks.
//
// Serve returns nil if it has cancelled nothing. If there are mistakes in srv ([runtime.Server.Check]) or
// an option, it returns all of them before it serves. If l fails, it shuts down without a delay and returns that error.
func Serve(ctx context.Context, l net.Listener, srv *runtime.Server, opts ...ServeOption) error {
	defer func() { _ = l.Close() }() // net/http may not have begun to serve, or close it later
	s, err := newService(ctx, srv, opts)
	if err != nil {
		return err
	}
	scheme, serve := "http", s.server.Serve
	if s.server.TLSConfig != nil {
		scheme, serve = "https", func(l net.Listener) error { return s.server.ServeTLS(l, "", "") }
	}
	s.log.InfoContext(ctx, "serving", slog.String("url", scheme+"://"+l.Addr().String()+"/mcp"))
	failed, delay := make(chan error, 1), s.options.delay
	go func() { failed <- serve(l) }()
	select {
	case err = <-failed:
		delay = 0
	case <-ctx.Done():
	}
	s.isStopping.Store(true)
	s.log.InfoContext(ctx, "shutting down", slog.Duration("delay", delay), slog.Duration("grace", s.options.grace))
	time.Sleep(delay)
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.options.grace)
	defer cancel()
	return errors.Join(err, s.shutdown(ending, time.Now().Add(min(delay, time.Second))))
}

// service is a handler and the server around it.
type service struct {
	*Handler
	options serveConfig
	server  *http.Server
	next    http.Handler // serves all paths

	isStopping atomic.Bool  // the context of Serve has ended
	running    atomic.Int64 // number of requests
}

// newService returns the service. The error lists all mistakes in srv and the options.
func newService(ctx context.Context, srv *runtime.Server, opts []ServeOption) (*service, error) {
	options := newServeConfig(opts)
	h, mistakes := newHandler(srv, options.handler)
	mux, s := http.NewServeMux(), &service{Handler: h, options: options}
	s.server = &http.Server{
		Handler: mux, MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	if s.options.httpServer != nil {
		s.options.httpServer(s.server, mux)
	}
	mistakes = errors.Join(mistakes, s.addPaths(mux))
	s.next, s.server.Handler = s.server.Handler, s
	if c := s.server.TLSConfig; s.server.WriteTimeout != 0 || c != nil && len(c.Certificates) == 0 && c.GetCertificate == nil && c.GetConfigForClient == nil {
		mistakes = errors.Join(mistakes, errors.New("HTTPServer: WriteTimeout must be zero, and TLSConfig must have Certificates or GetCertificate"))
	}
	if mistakes != nil {
		return nil, mistakes
	}
	s.serveStreamable()
	return s, nil
}

// addPaths adds the paths of [Serve]. The program has already added its paths, so a panic of mux means that one of them
// conflicts.
func (s *service) addPaths(mux *http.ServeMux) (err error) {
	defer func() {
		if conflict := recover(); conflict != nil {
			err = fmt.Errorf("HTTPServer: %v", conflict)
		}
	}()
	mux.Handle("/mcp", s.Handler)
	if p := s.config.protection; p != nil && p.metadata != nil {
		mux.Handle(MetadataPath, p.Metadata())
		mux.Handle(MetadataPath+"/", p.Metadata())
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	mux.HandleFunc("GET /readyz", s.serveReady)
	return nil
}

// serveReady answers requests to /readyz.
func (s *service) serveReady(w http.ResponseWriter, r *http.Request) {
	status, text := http.StatusOK, "ok\n"
	if s.isStopping.Load() {
		status, text = http.StatusServiceUnavailable, ""
	}
	// A sidecar or tunnel also connects over loopback. If it forwards the path, the Host header is a public name.
	isLocal := onLoopback(r) && isLoopbackHost(hostname(r.Host)) && s.config.checkOrigin(r) == nil
	if s.options.details != nil && r.URL.Query().Has("verbose") && isLocal {
		w.Header().Set("Content-Type", "application/json")
		text = s.options.details.String() + "\n"
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}

// ServeHTTP implements [http.Handler].
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.running.Add(1)
	defer s.running.Add(-1)
	if s.isStopping.Load() {
		w.Header().Set("Connection", "close") // otherwise the next request could meet the end of the connection
	}
	// net/http sends the end of a response, which is all of a small one, after the handler has returned. If the client
	// does not read, that ends with the deadline, as other writes do. The next request on the connection clears it: its
	// response may take any time.
	ctrl := http.NewResponseController(w)
	_ = ctrl.SetWriteDeadline(time.Time{})
	defer func() { _ = ctrl.SetWriteDeadline(time.Now().Add(writeTimeout)) }()
	s.next.ServeHTTP(w, r)
}

// sending is the time for the ends of responses, which net/http sends after the handler has returned.
const sending = 500 * time.Millisecond

// shutdown ends calls and tasks, and connections at closing or later.
func (s *service) shutdown(ctx context.Context, closing time.Time) error {
	s.drain(ctx)
	err := s.Shutdown(ctx)
	if ofTasks := s.srv.Shutdown(ctx); !errors.Is(err, ofTasks) { // both may be the error of ctx
		err = errors.Join(err, ofTasks)
	}
	time.Sleep(time.Until(closing))
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	var check func()
	check = func() {
		if s.running.Load() == 0 { // net/http would wait for connections without a request
			cancel()
		} else if waiting.Err() == nil {
			time.AfterFunc(sending, check)
		}
	}
	time.AfterFunc(sending, check)
	if _ = s.server.Shutdown(waiting); s.running.Load() > 0 && !errors.Is(err, ctx.Err()) {
		err = errors.Join(err, ctx.Err())
	}
	if err != nil {
		err = fmt.Errorf("the grace period of %v was too short for calls, tasks, or requests to other paths: %w", s.options.grace, err)
	}
	return errors.Join(err, s.server.Close())
}
