package runtime_test

import (
	"flag"
	"fmt"

	"github.com/mcptool-go/mcptool/runtime"
)

func ExampleSelection_Flags() {
	selection, err := runtime.SelectionFromEnv("SHOP_") // SHOP_GROUPS, SHOP_TOOLS, SHOP_EXCEPT, SHOP_READ_ONLY
	if err != nil {
		fmt.Println(err)
		return
	}
	flags := flag.NewFlagSet("shop", flag.ContinueOnError)
	selection.Flags(flags) // -groups, -tools, -except, -read-only; they replace what the variables set
	if err := flags.Parse([]string{"-groups", "issues,pulls", "-read-only"}); err != nil {
		fmt.Println(err)
		return
	}
	srv := &runtime.Server{Select: selection}
	fmt.Println(srv.Select.Groups, srv.Select.ReadOnly)
	// Output: [issues pulls] true
}
