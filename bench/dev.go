package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/gocommand"
	"github.com/mcptool-go/mcptool/bench/internal/loopback"
	"github.com/mcptool-go/mcptool/bench/internal/page"
	"github.com/mcptool-go/mcptool/bench/internal/swap"
	"github.com/mcptool-go/mcptool/bench/internal/watch"
	"github.com/mcptool-go/mcptool/internal/compat"
	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/redact"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// devCmd is bench dev.
type devCmd struct {
	Program  string        `arg:"" optional:"" name:"program" help:"The server: a package; the path of a program that something else builds; or go run with flags and arguments behind --, at the end of the line." predictor:"file"`
	HTTP     string        `name:"http" help:"Serve Streamable HTTP at this address of this machine, instead of stdin and stdout. The command has {addr} where it takes the address to listen on. The path of the server is /mcp unless one is given." placeholder:"HOST:PORT[/PATH]"`
	Header   []string      `help:"Add a header to the requests that list the tools over HTTP, and to those of the page; may be repeated." placeholder:"'NAME: VALUE'" sep:"none" short:"H"`
	Page     string        `help:"The address of the page; only this machine reaches it. Port 0 means a free one." default:"127.0.0.1:0" placeholder:"HOST:PORT"`
	NoPage   bool          `help:"Serve no page."`
	Grace    time.Duration `help:"The time that calls of the replaced version have to end." default:"10s"`
	KeepLast bool          `help:"Let the last version answer calls while the program does not build."`
	Env      []string      `help:"Set a variable for the server, which inherits the environment; may be repeated." placeholder:"KEY=VALUE" sep:"none"`

	words []string // the command
}

// Help adds details to the short help in the command list.
func (*devCmd) Help() string {
	return `The program is built, and built again when a file changes that belongs to the main module, to a module of go.work or
to one that go.mod replaces by a directory. The connections of clients stay: they are told that the lists have
changed, and calls go to the new version. Calls during a build wait for it. While the program does not build,
calls get the errors of the compiler. What a change breaks is shown as by bench check, compared with the
version before it.
Messages for people go to stderr, first the address of a page that shows the server and calls its tools, see bench
ui. With a terminal as stdin, no client is served there.`
}

// setTarget sets the command that splitTarget found on the command line, or the only word.
func (d *devCmd) setTarget(command string, parsed parsedTarget) error {
	switch {
	case parsed.url != "":
		return usageError("%s runs a program and has no use for %s; --http takes HOST:PORT", command, parsed.url)
	case d.Program != "" && parsed.given():
		return usageError("there is a second program, %s", d.Program)
	case d.Program != "":
		d.words = []string{d.Program}
	case !parsed.given():
		return usageError("there is no program; name its package, as in: bench %s -- go run ./cmd/server", command)
	default:
		d.words = parsed.command
	}
	return nil
}

// Run serves the program until its client leaves, or until an interrupt.
func (d *devCmd) Run(ctx context.Context, con *console) error {
	program, err := d.program()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP) // the terminal was closed
	defer stop()
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)     // a client may close stderr: then writes fail, and do not end bench
	parent, _ := gocommand.Run(ctx, "", nil, "env", "GOTMPDIR") // the build reports a missing go command
	dir, err := os.MkdirTemp(strings.TrimSpace(parent), "bench-dev-*")
	if err != nil {
		return fmt.Errorf("there is no directory for the programs; set TMPDIR to one where files can be made: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // best effort
	con.secrets.Pairs("=", append(os.Environ(), d.Env...))
	con.secrets.Pairs(":", d.Header)
	con.secrets.Command(d.words)
	stderr := redact.NewWriter(con.err, func(text string) string { return serverLines(con.secrets.Text(text)) })
	defer func() { _ = stderr.Flush() }() // at most an incomplete line is left
	dev := &development{devCmd: d, con: con, dir: dir, log: stderr}
	dev.front = swap.New(swap.Options{Grace: d.Grace, KeepLast: d.KeepLast, Stderr: stderr, Redact: con.secrets.Text, Logf: dev.logf})
	return dev.run(ctx, program)
}

// program parses the command, and changes to the directory that go run -C names.
func (d *devCmd) program() (watch.Program, error) {
	p, err := watch.Parse(d.words)
	if err != nil {
		return p, usageError("%w", err)
	}
	t := target{Env: d.Env, Header: d.Header}
	t.parsed.command = d.words
	if d.HTTP != "" {
		t.Env, t.parsed = nil, parsedTarget{url: "http://" + d.HTTP}
	}
	if _, err := t.server(); err != nil {
		return p, err
	}
	hasAddress := slices.ContainsFunc(slices.Concat(p.Args, d.Env), func(word string) bool { return strings.Contains(word, addressMark) })
	switch {
	case d.HTTP != "" && !hasAddress:
		return p, usageError("with --http the server listens on an address that bench chooses for each version; write %s where the command or --env has it, as in: bench dev --http %s -- go run . -http %[1]s", addressMark, d.HTTP)
	case d.HTTP == "" && hasAddress:
		return p, usageError("%s is the address of a server over HTTP; add --http 127.0.0.1:8080, which is where clients find it", addressMark)
	case d.Grace < 0:
		return p, usageError("--grace %v is negative", d.Grace)
	}
	if p.Dir != "" {
		if err := os.Chdir(p.Dir); err != nil {
			return p, err
		}
		p.Dir = ""
	}
	return p, nil
}

// addressMark is replaced by the address that an HTTP server listens on.
const addressMark = "{addr}"

// A development is a run of bench dev.
type development struct {
	*devCmd
	con   *console
	dir   string // of the programs
	front *swap.Front
	url   string     // of the front; "" over stdio
	page  *page.Page // nil with --no-page
	log   io.Writer  // for the stderr of servers

	was     *compat.Snapshot // what the version before listed; nil if there is none
	closing sync.WaitGroup   // connections for such lists

	mu      sync.Mutex
	current []string // the command of the current version; nil before the first
}

// run builds and serves the program.
func (d *development) run(ctx context.Context, program watch.Program) error {
	serve := d.serveStdio
	switch {
	case d.HTTP != "":
		l, err := d.listen(ctx)
		if err != nil {
			return err
		}
		serve = func(ctx context.Context) error { return d.serveHTTP(ctx, l) }
	case d.con.inTerminal:
		d.logf("stdin is a terminal, so no client is served there: use the page, let a client start this command, or add --http 127.0.0.1:8080. Ctrl-C ends it")
		serve = func(ctx context.Context) error { <-ctx.Done(); return nil }
	}
	if !d.NoPage {
		if err := d.openPage(); err != nil {
			return err
		}
		defer func() { _ = d.page.Close() }() // nothing is left to save
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		if err := watch.Run(ctx, program, watch.Options{Dir: d.dir, Changed: d.front.Changed, Unchanged: d.front.Unchanged, Begin: d.begin, Done: d.done}); err != nil {
			cancel(err)
		}
	})
	err := serve(ctx)
	cause := context.Cause(ctx)
	cancel(nil)
	watching.Wait()
	d.closing.Wait()
	err = cmp.Or(cause, err, d.front.Close()) // an interrupt, or why the files are not watched, comes first
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return &exitError{code: max(exit.ExitCode(), exitNo)} // the server has printed the reason
	}
	return err
}

// openPage serves the page.
func (d *development) openPage() error {
	d.page = page.New(page.Options{
		Dial: d.dialPage, Target: d.connection(d.words).words(), Redact: d.con.redact,
		Save: d.con.saveSession("# saved by bench dev"),
	})
	url, err := d.page.Listen(d.Page)
	if err != nil {
		return errors.Join(usageError("--page: %w", err), d.page.Close())
	}
	d.logf("open %s in a browser; the page can call all tools until bench dev ends", url)
	return nil
}

// dialPage connects the page to the current version. Over stdio it has its own process.
func (d *development) dialPage(ctx context.Context, o client.Options) (*client.Client, error) {
	t, err := d.target()
	if err != nil {
		return nil, err
	}
	o.Stderr, t.Timeout = d.log, o.Timeout
	return t.dial(ctx, d.con, o)
}

// show shows the state of the build on the page.
func (d *development) show(b page.Build) {
	if b.Time = time.Now(); d.page != nil {
		d.page.Show(b)
	}
}

// logf prints a message for the author.
func (d *development) logf(format string, args ...any) {
	_, _ = fmt.Fprintf(d.con.err, "bench: %s\n", indented(d.con.secrets.Text(fmt.Sprintf(format, args...)))) // best effort
}

// listen listens on the address of --http, and keeps the URL.
func (d *development) listen(ctx context.Context) (net.Listener, error) {
	addr, path, _ := strings.Cut(d.HTTP, "/")
	l, err := loopback.Listen(ctx, addr)
	if err != nil {
		return nil, usageError("--http: %w", err)
	}
	d.url = "http://" + l.Addr().String() + "/" + cmp.Or(path, "mcp")
	return l, nil
}

// serveStdio serves the client on stdin and stdout.
func (d *development) serveStdio(ctx context.Context) error {
	err := d.front.ServeStdio(ctx, d.con.in, d.con.raw)
	if err == nil {
		d.logf("stdin has ended, and so does bench dev; with a terminal as stdin, or with --http, it stays")
	}
	return err
}

// serveHTTP serves clients until ctx ends.
func (d *development) serveHTTP(ctx context.Context, l net.Listener) error {
	server := &http.Server{Handler: d.front, ReadHeaderTimeout: 10 * time.Second}
	d.logf("the server is at %s", d.url)
	defer context.AfterFunc(ctx, func() {
		_ = d.front.Close() // run returns its error
		_ = server.Close()
	})()
	if err := server.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

// begin takes the beginning of a build.
func (d *development) begin(changed []string) {
	d.front.Building()
	d.show(page.Build{State: "building"})
	switch n := len(changed); {
	case n == 0:
		d.logf("building %s", strings.Join(d.words, " "))
	case n > 3:
		d.logf("%s and %d more have changed: building", strings.Join(changed[:2], ", "), n-2)
	default:
		d.logf("%s changed: building", strings.Join(changed, ", "))
	}
}

// done takes the end of a build, and replaces the server.
func (d *development) done(ctx context.Context, b watch.Build) {
	version := swap.Version{Command: b.Command, Env: d.Env}
	err := b.Err
	if err == nil && d.HTTP != "" {
		err = setAddress(ctx, &version)
	}
	if err != nil {
		d.broken(err)
		return
	}
	if err := d.front.Use(ctx, version); err != nil {
		if ctx.Err() == nil {
			d.report("the new version does not start", err.Error())
		}
		return
	}
	d.mu.Lock()
	d.current = version.Command
	d.mu.Unlock()
	d.removeOthers(b.Number)
	d.logf("version %d is ready after %.1f s", b.Number, time.Since(b.Saved).Seconds())
	build := page.Build{State: "ok", Version: b.Number}
	d.show(build)
	if build.Changes = d.compare(ctx); build.Changes != nil {
		d.show(build)
	}
}

// Lines of the compiler that are shown to people, and to the model in the result of a call.
const (
	peopleLines = 60
	modelLines  = 12
)

// broken reports a build that has failed.
func (d *development) broken(err error) {
	text, brief := err.Error(), err.Error()
	if failure, ok := errors.AsType[*gocommand.Error](err); ok {
		text, brief = failure.Text(peopleLines), failure.Text(modelLines)
	}
	d.front.Broken("The server was changed and does not build, so the call has not run. Mend this and call again:\n" + d.con.secrets.Text(brief))
	d.report("the build has failed", text)
}

// report prints why the new version is not used.
func (d *development) report(what, why string) {
	until := "calls get this error until it is mended"
	if d.KeepLast && d.current != nil {
		until = "the last version answers calls until it is mended"
	}
	_ = d.con.printError(d.con.secrets.Text("bench: "+what+", and "+until+":\n  "+indented(why)+"\n"), errorColors) // best effort
	d.show(page.Build{State: "broken", Text: d.con.secrets.Text(why), KeepLast: d.KeepLast})
}

// setAddress replaces the mark in the command and the environment of a version by a free address.
func setAddress(ctx context.Context, v *swap.Version) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	v.Addr = l.Addr().String()
	for _, words := range []*[]string{&v.Command, &v.Env} {
		*words = slices.Clone(*words)
		for i, word := range *words {
			(*words)[i] = strings.ReplaceAll(word, addressMark, v.Addr)
		}
	}
	return l.Close()
}

// removeOthers removes the programs of all versions but one. Processes of the version before it may still run; where a
// system does not remove the program of a process, a later call does.
func (d *development) removeOthers(version int) {
	entries, _ := os.ReadDir(d.dir) // a directory that cannot be read is removed at the end
	for _, entry := range entries {
		if n, err := strconv.Atoi(entry.Name()); err == nil && n != version {
			_ = os.RemoveAll(filepath.Join(d.dir, entry.Name()))
		}
	}
}

// target returns how to connect to the current version.
func (d *development) target() (*target, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.current == nil {
		return nil, errors.New("there is no version yet that has been built and started")
	}
	return d.connection(d.current), nil
}

// connection returns how to connect to a server: a command, or over HTTP the current version.
func (d *development) connection(command []string) *target {
	to := parsedTarget{command: command}
	if d.url != "" {
		to = parsedTarget{url: d.url}
	}
	return (&target{Era: string(client.Auto), Env: d.Env, Header: d.Header}).withServer(to)
}

// compare prints what the current version changes for clients, by the rules of bench check, and returns the lines.
func (d *development) compare(ctx context.Context) []string {
	t, err := d.target()
	if err != nil {
		return nil
	}
	session, all, err := t.listFrom(ctx, d.con, client.Options{})
	var now *compat.Snapshot
	if err == nil {
		defer d.closing.Go(func() { _ = session.Close() }) // a server may take its time, and the next build does not wait
		now, err = d.con.snapshot(all)
	}
	if err != nil {
		if ctx.Err() == nil {
			d.logf("the server cannot be listed, so it is not known what has changed: %v", err)
		}
		return nil
	}
	was := d.was
	if d.was = now; was == nil {
		d.logf("%s lists %s", terminal.OneLine(session.Server().Product()), all.counts())
		return nil
	}
	changes := compat.Compare(was, now)
	if len(changes) == 0 {
		return nil
	}
	text := strings.TrimRight(compat.Report(onLines(changes), compat.Wording), "\n")
	_ = d.con.printError(text+"\n", checkColors) // best effort
	return strings.Split(text, "\n")
}
