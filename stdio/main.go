package stdio

import (
	"context"
	"os"

	"github.com/mcptool-go/mcptool/runtime"
)

// Main calls [Serve] with a background context. It is meant as the last statement of func main: it returns when the
// session has ended, so that the program ends with status 0. Tasks that are still running are cancelled. If Serve
// returns an error, Main prints the error to standard error and ends the process with status 1.
func Main(srv *runtime.Server, opts ...Option) {
	err := Serve(context.Background(), srv, opts...)
	if srv != nil {
		endTasks(srv)
	}
	if err != nil {
		writeBriefly(os.Stderr, err.Error()+"\n") //nolint:forbidigo // the caller asked to have it printed
		os.Exit(1)                                //nolint:forbidigo // and the process ended
	}
}
