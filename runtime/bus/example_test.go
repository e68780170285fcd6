package bus_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/bus"
	"github.com/mcptool-go/mcptool/stdio"
)

// brokerBus adapts the client of a publish-subscribe service, which has these funcs, to [bus.Bus].
type brokerBus struct {
	emit   func(ctx context.Context, data []byte) error
	listen func(handle func(data []byte)) (unsubscribe func(), err error)
}

func (b brokerBus) Publish(ctx context.Context, n bus.Notice) error {
	data, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return b.emit(ctx, data)
}

func (b brokerBus) Subscribe(fn func(bus.Notice)) (stop func(), err error) {
	return b.listen(func(data []byte) {
		var n bus.Notice
		if json.Unmarshal(data, &n) == nil {
			fn(n)
		}
	})
}

// newInstance returns one of the instances behind a load balancer.
func newInstance(tools *mcptool.Registry, broker brokerBus) *runtime.Server {
	return &runtime.Server{Name: "docs", Version: "1.0.0", Tools: tools, Bus: bus.New(broker)}
}

// inMemory returns a brokerBus with one subscriber; emit blocks until it has handled the data.
func inMemory() brokerBus {
	subscribers := make(chan func([]byte))
	return brokerBus{
		emit: func(_ context.Context, data []byte) error {
			(<-subscribers)(data)
			return nil
		},
		listen: func(handle func([]byte)) (func(), error) {
			subscribers <- handle
			return func() {}, nil
		},
	}
}

// A Bus notifies clients of changes at every instance, whichever they are connected to. Any publish-subscribe service can
// carry the notices.
func Example() {
	guide, err := mcptool.NewResource(func(context.Context, struct{}) (string, error) { return "Read me", nil }, mcptool.URI("docs://guide"), mcptool.Name("guide"))
	if err != nil {
		fmt.Println(err)
		return
	}
	var here, there mcptool.Registry
	for _, tools := range []*mcptool.Registry{&here, &there} {
		if err := tools.Add(guide); err != nil {
			fmt.Println(err)
			return
		}
	}
	broker := inMemory()
	first, second := newInstance(&here, broker), newInstance(&there, broker)

	in, requests := io.Pipe()
	answers, out := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- stdio.Serve(context.Background(), first, stdio.In(in), stdio.Out(out)) }()
	_, _ = io.WriteString(requests, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{`+
		`"notifications":{"resourceSubscriptions":["docs://guide"]},"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`+"\n")
	lines := bufio.NewScanner(answers)
	lines.Scan() // acknowledgement

	if err := second.Check(); err != nil { // its first use, with which it subscribes
		fmt.Println(err)
		return
	}
	there.ResourceUpdated("docs://guide")
	lines.Scan()
	fmt.Println(lines.Text())

	go func() { _, _ = io.Copy(io.Discard, answers) }()
	for _, err := range []error{requests.Close(), <-served, first.Shutdown(context.Background()), second.Shutdown(context.Background())} {
		if err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"docs://guide","_meta":{"io.modelcontextprotocol/subscriptionId":1}}}
}
