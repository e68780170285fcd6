// Package plugin is the module plugin of mcptoolvet for golangci-lint. See docs/vet.md for its configuration.
package plugin

import (
	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/mcptool-go/mcptool/integrations/mcptoolvet"
)

func init() { //nolint:gochecknoinits // golangci-lint finds plugins this way
	register.Plugin(mcptoolvet.Analyzer.Name, func(any) (register.LinterPlugin, error) { return linter{}, nil })
}

type linter struct{}

func (linter) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{mcptoolvet.Analyzer}, nil
}

func (linter) GetLoadMode() string { return register.LoadModeTypesInfo }
