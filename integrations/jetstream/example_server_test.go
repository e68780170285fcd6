package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/integrations/jetstream/embedded"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/bus"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// serve serves over HTTP until ctx ends, and shares tasks and notices with the other instances through the NATS server at
// address. At the end tasks end or are left to the others; after that nothing needs NATS.
func serve(ctx context.Context, l net.Listener, address string) error {
	js, err := jetstream.Connect(address, jetstream.Options{})
	if err != nil {
		return err
	}
	srv := &runtime.Server{Name: "reports", Version: "1.0.0", Tasks: tasks.New(js.Tasks()), Bus: bus.New(js.Bus())}
	err = streamhttp.Serve(ctx, l, srv)
	return errors.Join(err, js.Close())
}

// An instance of a server keeps its tasks in NATS, where the other instances find them.
func Example_server() {
	if err := ping(); err != nil {
		fmt.Println(err)
	}
	// Output: 200 OK
}

// ping runs a NATS server and an instance, and sends one request to the instance.
func ping() (err error) {
	dir, err := os.MkdirTemp("", "nats")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	address, err := unusedAddress()
	if err != nil {
		return err
	}
	nats, err := embedded.Open(dir, embedded.Node{Listen: address}, jetstream.Options{}) // in another process, as a rule
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, nats.Close()) }()
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- serve(ctx, l, "nats://"+address) }()
	defer func() {
		end()
		err = errors.Join(err, <-served)
	}()
	return request("http://" + l.Addr().String() + "/mcp")
}

// request sends a request of revision 2026-07-28, and prints the status of the answer.
func request(url string) error {
	const body = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"example","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "server/discover",
	} {
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	fmt.Println(answer.Status)
	return answer.Body.Close()
}
