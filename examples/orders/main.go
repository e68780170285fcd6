// Command orders is an order desk: a database with tools to search orders, refund them, export them, and ask questions in
// SQL. It is a complete server to start from. The README describes it.
//
//	orders -dir data                          # over standard input and output, for one person
//	TOKENS=… orders -dir data -http :8080     # over HTTP, for callers with access tokens
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/stdio"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// grace is how long calls and tasks may take after a signal to stop, and after the delay.
const grace = 20 * time.Second

// config contains the flags and the environment variables.
type config struct {
	dir    string        // of the database, of tasks, of keys, and of exported files
	url    string        // of PostgreSQL; "" means a file of SQLite
	reader string        // the same, as a role that may only read; "" for none
	orders int           // that a new database gets
	addr   string        // "" means standard input and output
	delay  time.Duration // before the end, in which a load balancer can notice it
	tokens string        // static access tokens
	issuer string        // of access tokens that are JWTs; "" for static ones
	public string        // the URL that clients use, which is the audience of JWTs
	pages  string        // origins of web pages that may use the server, with spaces between them
}

func main() {
	c := config{
		url: os.Getenv("DATABASE_URL"), reader: os.Getenv("READER_DATABASE_URL"),
		tokens: os.Getenv("TOKENS"), issuer: os.Getenv("OIDC_ISSUER"), public: os.Getenv("PUBLIC_URL"),
		pages: os.Getenv("ALLOW_ORIGINS"),
	}
	flag.StringVar(&c.dir, "dir", "data", "the directory of the database, of tasks, of keys, and of exported files")
	flag.IntVar(&c.orders, "orders", 100_000, "how many orders a new database gets")
	flag.StringVar(&c.addr, "http", "", "where to listen for HTTP; \"\" serves standard input and output")
	flag.DurationVar(&c.delay, "delay", 3*time.Second, "how long to serve after a signal to stop, while /readyz reports it")
	flag.Parse()
	var level slog.Level
	if err := level.UnmarshalText([]byte(cmp.Or(os.Getenv("LOG_LEVEL"), "INFO"))); err != nil {
		slog.Error("LOG_LEVEL", slog.Any("error", err))
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewJSONHandler(stdio.Stderr, &slog.HandlerOptions{Level: level}))
	if err := run(ctx, c, log); err != nil {
		log.Error("orders ended", slog.Any("error", err))
		os.Exit(1) //nolint:gocritic // stop has nothing left to do
	}
}

// run opens what the server needs, serves until ctx ends, and closes everything in the opposite order.
func run(ctx context.Context, c config, log *slog.Logger) (err error) {
	exports := filepath.Join(c.dir, "exports")
	if err := os.MkdirAll(exports, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(exports)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	db, err := open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := seed(ctx, db, c.orders, log); err != nil {
		return err
	}
	store, err := boltstore.Open(filepath.Join(c.dir, "tasks.db"), boltstore.Limits{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	counters := new(observe.Counters)
	exporter, flush, err := telemetry(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, flush()) }()
	registry, err := (&Desk{db: db, exports: root}).registry()
	if err != nil {
		return err
	}
	srv := &runtime.Server{
		Name: "orders", Version: "1.0.0", Title: "Order desk", Tools: registry, Tasks: tasks.New(store),
		Instructions: "Amounts are euro cents. Prefer search_orders and revenue_by_month to query_orders.",
		Logger:       log, Observer: observe.All(counters, exporter, audit.New(log)),
		MaskErrors: true, // texts of the database are for the log
		Limits:     runtime.Limits{CallTimeout: 30 * time.Second},
	}
	if c.addr == "" {
		err := stdio.Serve(ctx, srv)
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		return errors.Join(err, srv.Shutdown(ending))
	}
	srv.StateKeys, err = runtime.StateKeysFromFile(filepath.Join(c.dir, "state.keys")) // sessions and questions survive a restart
	if err != nil {
		return err
	}
	return serveHTTP(ctx, c, srv, streamhttp.ReadyDetails(counters), streamhttp.ShutdownDelay(c.delay), streamhttp.Grace(grace),
		streamhttp.AllowOrigins(strings.Fields(c.pages)...))
}
