// Command mcptoolvet reports the mistakes in tools, prompts, resources and forms that their registration would report,
// without running the program. It runs alone or under go vet:
//
//	go install github.com/mcptool-go/mcptool/integrations/mcptoolvet/cmd/mcptoolvet@latest
//	mcptoolvet ./...
//	mcptoolvet -fix ./...
//	go vet -vettool=$(which mcptoolvet) ./...
package main

import (
	"golang.org/x/tools/go/analysis/singlechecker"

	"github.com/mcptool-go/mcptool/integrations/mcptoolvet"
)

func main() { singlechecker.Main(mcptoolvet.Analyzer) }
