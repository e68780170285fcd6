// Command mistaken is a program whose registrations have mistakes. Its argument says which, and
// who deals with the panic.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

type in struct {
	_     struct{} `mcp:"name=place order,tilte=Order"`
	Count int      `json:"count" jsonschema:"minimun=1"`
}

func order(context.Context, in) (struct{}, error) { return struct{}{}, nil }

type service struct{}

func (service) List(context.Context) ([]string, error) { return nil, nil }

type shape interface{ isShape() }

type colour string

type circle struct {
	Type string `json:"type"`
}

func (circle) isShape() {}

func main() {
	modes := map[string]func(){
		"register": func() { mcptool.Register(order) },
		"service":  func() { mcptool.RegisterService(service{}) },
		"union":    func() { reflectschema.Union("type", map[string]shape{"circle": circle{}}) },
		"enum":     func() { reflectschema.Enum[colour]("red", "red") },
		"goroutine": func() {
			go func() { mcptool.Register(order) }()
			select {}
		},
		"recovered": func() {
			defer func() {
				var refused *mcptool.RegisterError
				if err, ok := recover().(error); ok && errors.As(err, &refused) {
					fmt.Println(len(refused.Mistakes), "mistakes recovered in lines:", strings.Count(err.Error(), "\n"))
				}
			}()
			mcptool.Register(order)
		},
		"again": func() {
			defer func() { panic(recover()) }()
			mcptool.Register(order)
		},
		"another": func() {
			defer func() { panic("another panic") }()
			mcptool.Register(order)
		},
		"deferred": func() {
			defer mcptool.Register(order)
			panic("the real panic")
		},
		"own": func() {
			if _, err := mcptool.New(order); err != nil {
				panic(err)
			}
		},
	}
	modes[os.Args[1]]()
}
