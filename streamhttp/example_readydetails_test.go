package streamhttp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// A server answers GET /readyz?verbose with counters, if the request comes from the same machine.
func ExampleReadyDetails() {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- serveCounted(ctx, l) }()
	url := "http://" + l.Addr().String()
	ping, err := http.Post(url+"/mcp", "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err == nil {
		err = ping.Body.Close()
	}
	fmt.Println(err)
	if counts, err := http.Get(url + "/readyz?verbose"); err == nil {
		var kinds map[string]observe.Count
		err = json.NewDecoder(counts.Body).Decode(&kinds)
		fmt.Println(kinds["request"].Ended, err, counts.Body.Close())
	}
	stop()
	fmt.Println(<-served)
	// Output:
	// <nil>
	// 1 <nil> <nil>
	// <nil>
}

func serveCounted(ctx context.Context, l net.Listener) error {
	counters := new(observe.Counters)
	srv := &runtime.Server{
		Name: "notes", Version: "1.0.0", Tools: &mcptool.Registry{},
		Observer: counters, Logger: slog.New(slog.DiscardHandler),
	}
	return streamhttp.Serve(ctx, l, srv, streamhttp.ReadyDetails(counters))
}
