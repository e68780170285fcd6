//go:build unix

package stdio_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
)

// beClient starts a server, sends it the lines that this program is sent, starts a sibling of the server that has the other
// ends of its pipes open, and waits to be killed. It prints the process ids and what the server answers.
func beClient() {
	check := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, "the client failed:", err)
			os.Exit(1)
		}
	}
	serverIn, toServer, err := os.Pipe()
	check(err)
	fromServer, serverOut, err := os.Pipe()
	check(err)
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), serverEnv+"=orphan")
	server.Stdin, server.Stdout, server.Stderr = serverIn, serverOut, os.Stderr
	check(server.Start())
	sibling := exec.Command("sleep", "600")
	sibling.ExtraFiles = []*os.File{toServer, fromServer}
	check(sibling.Start())
	fmt.Println(server.Process.Pid, sibling.Process.Pid)
	go func() { _, _ = io.Copy(toServer, os.Stdin) }()
	_, err = io.Copy(os.Stdout, fromServer)
	check(err)
}
