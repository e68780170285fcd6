package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/mcptool-go/mcptool/internal/lab/testbed"
)

// host is the name by which clients know the server.
const host = "mcp.example.com"

// fleet holds the instances of the server.
type fleet struct {
	addrs     []string // listen addresses, kept across restarts
	instances []*testbed.Instance
	start     func(ctx context.Context, i int) (*testbed.Instance, error)
}

// startAll starts all instances concurrently, since each waits for the others. Their logs go to the book.
func startAll(ctx context.Context, bed *testbed.Bed, b *book) (*fleet, error) {
	addrs, err := testbed.FreeAddrs(ctx, 2*size)
	if err != nil {
		return nil, err
	}
	f := &fleet{addrs: addrs[:size], instances: make([]*testbed.Instance, size)}
	nodes, secret := addrs[size:], "FLEET_SECRET="+rand.Text()+rand.Text()
	f.start = func(ctx context.Context, i int) (*testbed.Instance, error) {
		peers := slices.Delete(slices.Clone(nodes), i, i+1)
		return testbed.Start(ctx, testbed.Command{
			Program: bed.Program, Env: append(os.Environ(), secret), Stderr: &runLog{instance: i, book: b},
			Args: []string{
				"-addr", f.addrs[i], "-host", host, "-dir", filepath.Join(bed.Dir, fmt.Sprintf("node%d", i+1)),
				// A call waits up to 5 s for a majority, which is missing until the instance that restarted last is current.
				"-cluster", nodes[i], "-peers", strings.Join(peers, ","), "-lease", "3s", "-grace", "6s",
			},
		})
	}
	var all sync.WaitGroup
	failed := make([]error, size)
	for i := range size {
		all.Go(func() { f.instances[i], failed[i] = f.start(ctx, i) })
	}
	all.Wait()
	if err := errors.Join(failed...); err != nil {
		f.kill()
		return nil, err
	}
	return f, nil
}

// restart restarts an instance that has exited.
func (f *fleet) restart(ctx context.Context, i int) (err error) {
	f.instances[i], err = f.start(ctx, i)
	return err
}

// kill kills all running instances.
func (f *fleet) kill() {
	for _, i := range f.instances {
		if i != nil {
			i.Kill()
		}
	}
}
