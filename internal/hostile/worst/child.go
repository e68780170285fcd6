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

// childVariable is the environment variable that makes a server of the program.
const childVariable = "MCPTOOL_WORST_CHILD"

// mostData bounds the memory of a child, in bytes: what takes more is ended by the Go runtime.
const mostData = 1 << 30

// The file descriptors that a child is told on what to do, and answers on.
const (
	orderFile = 3 + iota
	replyFile
)

// An order is a line that a child reads. The zero value asks it to measure from now on.
type order struct {
	Tool *tool `json:"tool,omitempty"` // to serve; the first order
	Fast bool  `json:"fast,omitempty"` // without the peak, which takes a collection of garbage before
	End  bool  `json:"end,omitempty"`  // what has it cost since?
}

// A reply is the line that it answers with.
type reply struct {
	Error string `json:"error,omitempty"`
	Cost  cost   `json:"cost,omitzero"`
}

// A cost is what a process has spent on one message.
type cost struct {
	CPU       time.Duration `json:"cpu"`       // user and system
	Peak      int           `json:"peak"`      // most resident bytes, above those before
	Allocated uint64        `json:"allocated"` // bytes
}

// isChild reports whether this process is to be a server.
func isChild() bool { return os.Getenv(childVariable) != "" }

// serveChild is main of a child. It serves the tool that it is told to, over the standard streams.
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

// measure answers orders until there are no more.
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

// An account is what the process has spent up to a moment.
type account struct {
	cpu       time.Duration
	resident  int
	allocated uint64
}

// open gives back all memory that nobody holds, unless it is to be fast, and begins an account.
func open(fast bool) (account, error) {
	if fast {
		cpu, err := processTime()
		return account{cpu: cpu, resident: math.MaxInt, allocated: allocated()}, err
	}
	goruntime.GC() // what a sync.Pool keeps goes at the second collection
	debug.FreeOSMemory()
	resident, err := resetPeak()
	if err != nil {
		return account{}, err
	}
	cpu, err := processTime()
	return account{cpu, resident, allocated()}, err
}

// until returns what was spent since.
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

// allocated returns how many bytes were ever allocated on the heap.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// errNotLinux is why nothing is measured elsewhere.
var errNotLinux = fmt.Errorf("worst needs Linux, which tells the peak of a process's memory, and not %s", goruntime.GOOS)
