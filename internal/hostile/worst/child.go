package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

// childVariable is the environment variable that makes the program a server.
const childVariable = "MCPTOOL_WORST_CHILD"

// mostData is the maximum memory of a child, in bytes; beyond it, the Go runtime exits.
const mostData = 1 << 30

// File descriptors of a child for orders and replies.
const (
	orderFile = 3 + iota
	replyFile
)

// An order is a line read by a child. The zero value starts a measurement.
type order struct {
	Tool *tool `json:"tool,omitempty"` // tool to serve; the first order
	Fast bool  `json:"fast,omitempty"` // omit the peak, which requires a garbage collection
	End  bool  `json:"end,omitempty"`  // end the measurement and return the cost
}

// A reply is the response to an order.
type reply struct {
	Error string `json:"error,omitempty"`
	Cost  cost   `json:"cost,omitzero"`
}

// A cost is the resource usage of a process for one message.
type cost struct {
	CPU       time.Duration `json:"cpu"`       // user and system
	Peak      int           `json:"peak"`      // peak resident bytes above those before
	Allocated uint64        `json:"allocated"` // bytes
}

// isChild reports whether this process is a server.
func isChild() bool { return os.Getenv(childVariable) != "" }

// serveChild is the main func of a child. It serves the tool in its first order over the standard
// streams.
func serveChild() (err error) {
	if err := limitData(mostData); err != nil {
		return err
	}
	orders := json.NewDecoder(os.NewFile(orderFile, "orders"))
	replies := json.NewEncoder(os.NewFile(replyFile, "replies"))
	var first order
	if err := orders.Decode(&first); err != nil {
		return err
	}
	registry := &mcptool.Registry{}
	made, err := first.Tool.make()
	if err == nil {
		err = registry.Add(made)
	}
	if err != nil {
		return errors.Join(err, replies.Encode(reply{Error: err.Error()}))
	}
	if err := replies.Encode(reply{}); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- measure(orders, replies) }()
	err = stdio.Serve(context.Background(), &runtime.Server{Name: "worst", Version: "1", Tools: registry}, stdio.Notice(io.Discard))
	select {
	case failed := <-ended:
		return errors.Join(err, failed)
	default:
		return err
	}
}

// measure handles orders until there are no more.
func measure(orders *json.Decoder, replies *json.Encoder) error {
	var begin account
	for {
		var next order
		if err := orders.Decode(&next); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		var r reply
		var err error
		if next.End {
			r.Cost, err = begin.until()
		} else {
			begin, err = open(next.Fast)
		}
		if err != nil {
			r.Error = err.Error()
		}
		if err := replies.Encode(r); err != nil {
			return err
		}
	}
}

// An account is the resource usage of the process at some time.
type account struct {
	cpu       time.Duration
	resident  int
	allocated uint64
}

// open frees all unused memory, unless fast is set, and starts an account.
func open(fast bool) (account, error) {
	if fast {
		cpu, err := processTime()
		return account{cpu: cpu, resident: math.MaxInt, allocated: allocated()}, err
	}
	goruntime.GC() // a sync.Pool is emptied by the second collection
	debug.FreeOSMemory()
	resident, err := resetPeak()
	if err != nil {
		return account{}, err
	}
	cpu, err := processTime()
	return account{cpu, resident, allocated()}, err
}

// until returns the cost since a.
func (a account) until() (cost, error) {
	cpu, err := processTime()
	if err != nil {
		return cost{}, err
	}
	if a.resident == math.MaxInt {
		return cost{CPU: cpu - a.cpu, Allocated: allocated() - a.allocated}, nil
	}
	peak, err := peakResident()
	return cost{cpu - a.cpu, max(peak-a.resident, 0), allocated() - a.allocated}, err
}

// allocated returns the total number of bytes allocated on the heap.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// errNotLinux is the error on other systems.
var errNotLinux = fmt.Errorf("worst needs Linux, which tells the peak of a process's memory, and not %s", goruntime.GOOS)
