package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/bench/client"
	"github.com/mcptool-go/mcptool/bench/load"
	"github.com/mcptool-go/mcptool/bench/peers"
	"github.com/mcptool-go/mcptool/bench/peers/tools"
)

// peersCmd is bench peers.
type peersCmd struct {
	Only []string `help:"Measure these peers only, beside our own: ${enum}." enum:"go-sdk,mcp-go,mcp-go-unchecked,bare" placeholder:"NAME"`
	Tool string   `help:"What they are asked: ${enum}." enum:"get_weather,search_orders,big_rows" default:"get_weather"`
	Era  string   `help:"How to speak: legacy, or modern, which bare does not do." enum:"legacy,modern" default:"legacy"`
	loadFlags
	reportFlags
}

// A peer is a server in bench/peers.
type peer struct {
	name, program string
	args          []string
}

// allPeers are the servers, ours first: the others are compared with it.
func allPeers() []peer {
	return []peer{
		{"mcptool", "mcptool", nil},
		{"go-sdk", "gosdk", nil},
		{"mcp-go", "mcpgo", nil},
		{"mcp-go-unchecked", "mcpgo", []string{"-unchecked"}},
		{"bare", "bare", nil},
	}
}

// Run measures the peers.
func (p *peersCmd) Run(ctx context.Context, con *console) error {
	plan, err := p.plan()
	if err != nil {
		return err
	}
	chosen, err := p.chosen()
	if err != nil {
		return err
	}
	arguments, err := peerArguments(p.Tool)
	if err != nil {
		return err
	}
	plan.Work = []load.Work{{Tool: p.Tool, Arguments: arguments}}
	servers, cleanup, err := p.start(ctx, con, chosen)
	defer cleanup()
	if err != nil {
		return err
	}
	plan.Servers = servers
	return p.finish(ctx, con, plan, []string{
		"All serve the same tools, with the same schemas. mcptool, go-sdk and mcp-go check arguments and results by them; mcp-go-unchecked does not, and bare, a loop by hand with encoding/json, does neither.",
	})
}

// chosen returns the peers that are measured, ours always.
func (p *peersCmd) chosen() ([]peer, error) {
	all := allPeers()
	if len(p.Only) == 0 {
		if p.Era == "modern" {
			return all[:len(all)-1], nil
		}
		return all, nil
	}
	chosen := all[:1:1]
	for _, one := range all[1:] {
		for _, name := range p.Only {
			if name != one.name {
				continue
			}
			if name == "bare" && p.Era == "modern" {
				return nil, usageError("bare does not speak the modern era; leave out one of them")
			}
			chosen = append(chosen, one)
		}
	}
	return chosen, nil
}

// start builds the peers and connects to them. cleanup is to be called also after an error.
func (p *peersCmd) start(ctx context.Context, con *console, chosen []peer) (servers []load.Server, cleanup func(), err error) {
	dir, err := os.MkdirTemp("", "bench-peers")
	if err != nil {
		return nil, func() {}, err
	}
	cleanup = func() {
		closeAll(servers)
		_ = os.RemoveAll(dir)
	}
	var programs []string
	for _, one := range chosen {
		programs = append(programs, one.program)
	}
	con.status("building")
	built, err := peers.Build(ctx, dir, programs...)
	con.status("")
	if err != nil {
		return nil, cleanup, err
	}
	for _, one := range chosen {
		command := append([]string{built[one.program]}, one.args...)
		c, err := client.Dial(ctx, client.Target{Command: command}, client.Options{Era: client.Era(p.Era), Timeout: time.Minute})
		if err != nil {
			return servers, cleanup, fmt.Errorf("%s: %w", one.name, err)
		}
		where := strings.Join(append([]string{"bench/peers/" + one.program}, one.args...), " ")
		servers = append(servers, load.Server{Name: one.name, Where: where, Client: c, Timeout: time.Minute})
	}
	return servers, cleanup, nil
}

// peerArguments returns what a tool of the peers is asked, in turn.
func peerArguments(tool string) ([]json.RawMessage, error) {
	switch tool {
	case "get_weather":
		return encodeAll(tools.WeatherSamples())
	case "search_orders":
		return encodeAll(tools.OrdersSamples())
	default:
		return encodeAll([]tools.RowsIn{{Rows: 10_000}})
	}
}

func encodeAll[T any](values []T) ([]json.RawMessage, error) {
	var all []json.RawMessage
	for _, value := range values {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, nil
}
