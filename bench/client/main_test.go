package client_test

import (
	"context"
	"os"
	"testing"

	"github.com/mcptool-go/mcptool/bench/client"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/stdio"
)

// childKey names, in the environment, the server that this binary is to be instead of a test.
const childKey = "BENCH_CLIENT_CHILD"

// children are the servers that this binary can be.
var children = map[string]func(){
	"tools": serveTools,
}

func TestMain(m *testing.M) {
	if child := children[os.Getenv(childKey)]; child != nil {
		child()
		return
	}
	os.Exit(m.Run())
}

// child returns the target that is this binary as the server of that name.
func child(name string) client.Target {
	return client.Target{Command: []string{os.Args[0]}, Env: []string{childKey + "=" + name}}
}

type addIn struct {
	A int `json:"a"`
	B int `json:"b"`
}

type addOut struct {
	Sum int `json:"sum"`
}

func serveTools() {
	mcptool.Register(func(_ context.Context, in addIn) (addOut, error) { return addOut{in.A + in.B}, nil },
		mcptool.Name("add"), mcptool.Description("Adds"))
	stdio.Main(nil)
}
