package stdio

import (
	"context"
	"io"
	"os"

	"github.com/mcptool-go/mcptool/runtime"
)

// Main calls [Serve] with a background context. A nil srv means the zero [runtime.Server]: it has the tools of
// mcptool.Default and the name of the program. Main is meant as the last statement of func main: it returns when the
// session has ended, so that the program exits with status 0. It cancels tasks that are still running. If Serve returns an
// error, Main prints the error to standard error and exits with status 1.
func Main(srv *runtime.Server, opts ...Option) {
	err := Serve(context.Background(), srv, opts...)
	if srv != nil {
		endTasks(srv)
	}
	if err != nil {
		_, _ = io.WriteString(Stderr, err.Error()+"\n")
		os.Exit(1) //nolint:forbidigo // as documented
	}
}
