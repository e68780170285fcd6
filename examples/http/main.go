// Command http keeps notes for several people, over HTTP at /mcp. Callers with an access token may read notes, write
// them, or both. The tokens are in the environment, one "token principal scope…" per line:
//
//	TOKENS='s3cret ada notes:read notes:write' go run ./examples/http -addr 127.0.0.1:8080 -keys state.keys
//
// Sessions of clients survive a restart, because the process after it has the same keys. They are in the environment
// variable MCPTOOL_STATE_KEYS, or in the file of -keys, which is made at the first start.
//
// GET /healthz reports whether the process lives, and GET /readyz whether it gets requests. After an interrupt it exits
// when running calls have ended.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// grace is how long running calls and tasks may take after a signal to stop.
const grace = 10 * time.Second

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "where to listen")
	keyFile := flag.String("keys", "", "file with the state keys, made if it does not exist; without it they are in MCPTOOL_STATE_KEYS")
	delay := flag.Duration("delay", 0, "how long to serve after a signal to stop, until load balancers send no more requests")
	flag.Parse()
	mcptool.Register(WhoAmI)
	mcptool.RegisterService(newNotebook())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *addr, *keyFile, *delay); err != nil {
		log.Fatal(err)
	}
}

// run serves until ctx ends.
func run(ctx context.Context, addr, keyFile string, delay time.Duration) error {
	tokens, err := readTokens(os.Getenv("TOKENS"))
	if err != nil {
		return err
	}
	keys, err := stateKeys(keyFile)
	if err != nil {
		return err
	}
	return streamhttp.ListenAndServe(ctx, addr, &runtime.Server{Name: "notes", Version: "1.0.0", StateKeys: keys},
		streamhttp.StaticTokens(tokens), streamhttp.ShutdownDelay(delay), streamhttp.Grace(grace))
}

// stateKeys returns the keys in a file, or those in the environment if it has no name.
func stateKeys(file string) ([][32]byte, error) {
	if file == "" {
		return runtime.StateKeysFromEnv()
	}
	return runtime.StateKeysFromFile(file)
}
