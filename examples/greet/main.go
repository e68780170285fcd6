// Command greet is the smallest server: one tool, over standard input and output.
package main

import (
	"context"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/stdio"
)

type GreetIn struct {
	_        struct{} `mcp:"readOnly,idempotent,openWorld=false" doc:"Greet a person"`
	Name     string   `json:"name" jsonschema:"minLength=1,maxLength=80" doc:"The person to greet"`
	Language string   `json:"language" jsonschema:"enum=english,enum=french,enum=german,default=english" doc:"The language of the greeting"`
}

func Greet(_ context.Context, in GreetIn) (string, error) {
	hello := map[string]string{"english": "Hello", "french": "Bonjour", "german": "Hallo"}[in.Language]
	return hello + ", " + in.Name + "!", nil
}

func main() {
	mcptool.Register(Greet)
	stdio.Main(nil)
}
