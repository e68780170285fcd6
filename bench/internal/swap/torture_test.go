package swap_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/swap"
	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// controlKey has the address where the process of a front takes orders.
const controlKey = "SWAP_CONTROL"

// runFront serves stdio with a front, and takes orders over HTTP. It is its own process, since package client starts one.
func runFront() {
	f := swap.New(swap.Options{Stderr: os.Stderr, Logf: func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }})
	l, err := net.Listen("tcp", os.Getenv(controlKey))
	if err != nil {
		panic(err)
	}
	go func() { _ = http.Serve(l, control(f)) }()
	if err := f.ServeStdio(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := f.Close(); err != nil {
		panic(err)
	}
}

// control returns a handler that carries out orders for a front: /use/VERSION, /changed, /building, /unchanged, /broken.
func control(f *swap.Front) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch order, name, _ := strings.Cut(r.URL.Path[1:], "/"); order {
		case "use":
			if err := f.Use(r.Context(), version("server", name, controlKey+"=")); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
		case "changed":
			f.Changed()
		case "building":
			f.Building()
		case "unchanged":
			f.Unchanged()
		case "broken":
			f.Broken("it is broken")
		}
	})
}

// A remote front is one that a client reaches, and that takes orders.
type remote struct {
	t       *testing.T
	control string
	client  *client.Client
	changes chan struct{}
	strange atomic.Pointer[string] // an unexpected message or answer
}

// order gives an order. The error is the one of Use.
func (r *remote) order(ctx context.Context, order string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.control+order, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", order, resp.Status)
	}
	return nil
}

// use replaces the server.
func (r *remote) use(version string) {
	r.t.Helper()
	if err := r.order(r.t.Context(), "/use/"+version); err != nil {
		r.t.Fatal(err)
	}
}

// newRemote returns a front on stdio or HTTP with a client, and the server v0.
func newRemote(t *testing.T, transport string, era client.Era) *remote {
	t.Helper()
	r := &remote{t: t, changes: make(chan struct{}, 1000)}
	o := client.Options{
		Era: era,
		Notify: func(method string, _ json.RawMessage) {
			if method == "notifications/tools/list_changed" {
				r.changes <- struct{}{}
			}
		},
		Elicit: func(context.Context, client.Elicitation) (client.ElicitResult, error) {
			return client.ElicitResult{Action: "accept", Content: json.RawMessage(`{"name":"Ada"}`)}, nil
		},
		Unexpected: func(message []byte, why string) {
			text := why + ": " + string(message)
			r.strange.Store(&text)
		},
	}
	if transport == "http" {
		f, _ := newFront(t, swap.Options{})
		c := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if name, ok := strings.CutPrefix(req.URL.Path, "/use/"); ok {
				if err := f.Use(req.Context(), listening(t, "server", name)); err != nil {
					http.Error(w, err.Error(), http.StatusInternalServerError)
				}
				return
			}
			control(f).ServeHTTP(w, req)
		}))
		t.Cleanup(c.Close)
		r.control = c.URL
		url := serve(t, f)
		r.use("v0")
		r.client = dial(t, client.Target{URL: url}, o)
		return r
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	r.control = "http://" + addr
	begun := make(chan struct{})
	go func() {
		defer close(begun)
		for end := time.Now().Add(patient); r.order(t.Context(), "/use/v0") != nil && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
	}()
	r.client = dial(t, client.Target{Command: []string{os.Args[0]}, Env: []string{childKey + "=front", controlKey + "=" + addr, "GORACE=atexit_sleep_ms=0"}}, o)
	<-begun
	return r
}

// check reports what the client has not expected.
func (r *remote) check() {
	r.t.Helper()
	if text := r.strange.Load(); text != nil {
		r.t.Errorf("the client has not expected %s", *text)
	}
}

// eachRemote runs a test over both transports and in both eras.
func eachRemote(t *testing.T, test func(t *testing.T, r *remote)) {
	t.Helper()
	for _, transport := range []string{"stdio", "http"} {
		for _, era := range []client.Era{client.Legacy, client.Modern} {
			t.Run(transport+" "+string(era), func(t *testing.T) {
				t.Parallel()
				test(t, newRemote(t, transport, era))
			})
		}
	}
}

// TestTenSwaps has calls in flight at each of ten swaps. No call is lost, and the client is told of each swap.
func TestTenSwaps(t *testing.T) {
	t.Parallel()
	eachRemote(t, func(t *testing.T, r *remote) { //nolint:thelper // it is the test
		sub, err := r.client.Subscribe(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		for i := range swaps() {
			var calls sync.WaitGroup
			old := callTool(t.Context(), r.client, "wait", `{"ms":0}`)
			for range 3 {
				calls.Go(func() {
					if got := callTool(t.Context(), r.client, "wait", `{"ms":300}`); got != old {
						t.Errorf("a call in flight returns %s, want %s", got, old)
					}
				})
			}
			time.Sleep(100 * time.Millisecond) // the server has the calls
			next := fmt.Sprintf("v%d", i+1)
			r.use(next)
			if got, want := callTool(t.Context(), r.client, "wait", `{"ms":0}`), `{"version":"`+next+`"}`; got != want {
				t.Errorf("a new call returns %s, want %s", got, want)
			}
			select {
			case <-sub.Changed():
			case <-time.After(patient):
				t.Fatalf("the client is not told of %s", next)
			}
			calls.Wait()
		}
		if err := sub.Close(); err != nil {
			t.Error(err)
		}
		r.check()
	})
}

// TestTorture swaps at random under concurrent calls. Each call is answered once: by a version that is not older than the
// last swap before the call, or with the error of a build before the end of the call.
func TestTorture(t *testing.T) {
	t.Parallel()
	lasts := 4 * time.Second
	if testing.Short() {
		lasts = time.Second
	}
	eachRemote(t, func(t *testing.T, r *remote) { //nolint:thelper // it is the test
		var oldest, answered, refused atomic.Int64
		ctx, cancel := context.WithTimeout(t.Context(), lasts)
		defer cancel()
		var workers sync.WaitGroup
		for range 4 {
			workers.Go(func() {
				for ctx.Err() == nil {
					least := oldest.Load()
					tool, args := "wait", fmt.Sprintf(`{"ms":%d}`, rand.IntN(6)*10)
					if rand.IntN(4) == 0 {
						tool, args = "ask", `{}`
					}
					calling, stop := context.WithTimeout(t.Context(), patient)
					abandoned := rand.IntN(5) == 0
					if abandoned {
						time.AfterFunc(time.Duration(rand.IntN(60))*time.Millisecond, stop)
					}
					got := callTool(calling, r.client, tool, args)
					stop()
					var out struct{ Version string }
					n := int64(-1)
					if json.Unmarshal([]byte(got), &out) == nil {
						_, _ = fmt.Sscanf(out.Version, "v%d", &n)
					}
					switch {
					case n >= least:
						answered.Add(1)
					case got == "error: it is broken":
						refused.Add(1)
					case abandoned && strings.Contains(got, "context canceled"):
					default:
						t.Errorf("%s returns %s after v%d", tool, got, least)
					}
				}
			})
		}
		last := 0
		for ctx.Err() == nil {
			if err := r.order(t.Context(), "/building"); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(rand.IntN(30)) * time.Millisecond)
			using, stop := context.WithTimeout(t.Context(), patient)
			switch rand.IntN(6) {
			case 0:
				_ = r.order(t.Context(), "/unchanged")
			case 1:
				_ = r.order(t.Context(), "/broken")
				time.Sleep(20 * time.Millisecond)
			case 2: // the next build begins during the start
				last++
				time.AfterFunc(time.Duration(rand.IntN(20))*time.Millisecond, stop)
				_ = r.order(using, fmt.Sprintf("/use/v%d", last))
			case 3: // the source changes during the build
				if err := r.order(t.Context(), "/changed"); err != nil {
					t.Fatal(err)
				}
				fallthrough
			default:
				last++
				r.use(fmt.Sprintf("v%d", last))
				oldest.Store(int64(last))
			}
			stop()
			time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond)
		}
		last++
		if err := r.order(t.Context(), "/building"); err != nil {
			t.Fatal(err)
		}
		r.use(fmt.Sprintf("v%d", last))
		workers.Wait()
		if got, want := callTool(t.Context(), r.client, "wait", `{"ms":0}`), fmt.Sprintf(`{"version":"v%d"}`, last); got != want {
			t.Errorf("at the end a call returns %s, want %s", got, want)
		}
		t.Logf("%d versions; %d calls answered, %d refused", last, answered.Load(), refused.Load())
		if answered.Load() == 0 {
			t.Error("no call was answered")
		}
	})
}
