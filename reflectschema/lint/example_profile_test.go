package lint_test

import (
	"fmt"

	"github.com/mcptool-go/mcptool/reflectschema/lint"
)

// The rules are data, with what each is based on.
func ExampleProfile_Rules() {
	for _, rule := range lint.ProfileCopilot.Rules()[:2] {
		fmt.Printf("%s (%s): %s\n", rule.Name, rule.Severity, rule.Why)
	}
	fmt.Println(lint.ProfileCopilot.Rules()[0].Source)
	// Output:
	// array-without-items (refused): VS Code fails every request in which the tool is enabled
	// no-schema (refused): VS Code fails every request in which the tool is enabled: the schema is not valid
	// https://github.com/microsoft/vscode/issues/246119
}
