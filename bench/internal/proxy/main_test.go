package proxy_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestMain runs a server instead of the tests if SERVER names one.
func TestMain(m *testing.M) {
	if name := os.Getenv("SERVER"); name != "" {
		serve(name)
		return
	}
	os.Exit(m.Run())
}

// serve answers each request with a result; some servers do more.
func serve(name string) {
	switch name {
	case "stray":
		for i := range 10 {
			fmt.Printf("listening %d \x1b[2J\n", i)
		}
		for range 2 {
			fmt.Println(`{"level":"info","msg":"listening"}`)
		}
	case "exits":
		fmt.Fprintln(os.Stderr, "no configuration")
		os.Exit(7)
	case "silent":
		time.Sleep(time.Hour)
	case "huge":
		fmt.Println(strings.Repeat("x", 65<<20))
		time.Sleep(time.Hour)
	case "forks":
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "SERVER=silent")
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			panic(err)
		}
		fmt.Printf(`{"jsonrpc":"2.0","method":"child","params":{"pid":%d}}`+"\n", child.Process.Pid)
		return
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		fmt.Println(`{"jsonrpc":"2.0","id":1,"result":{"got":` + in.Text() + `}}`)
	}
	if name == "code" {
		os.Exit(3)
	}
}
