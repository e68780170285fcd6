package stdio_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"sync"

	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

// To serve a socket, call Serve once per connection.
func ExampleServe_socket() {
	ctx, stop := context.WithCancel(context.Background())
	var clients sync.WaitGroup
	defer clients.Wait()
	defer stop()

	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer listener.Close()
	srv := &runtime.Server{Name: "weather", Version: "1.2.3"}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			clients.Go(func() {
				defer conn.Close()
				if err := stdio.Serve(ctx, srv, stdio.In(conn), stdio.Out(conn)); err != nil {
					fmt.Println(err)
				}
			})
		}
	}()

	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	fmt.Fprintln(conn, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	answer, err := bufio.NewReader(conn).ReadString('\n')
	fmt.Print(answer, err)
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{}}
	// <nil>
}
