package main

import (
	"context"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// hostTools returns tools that send notifications while they run.
func hostTools(tools *mcptool.Registry) mcptool.Tools {
	const pause = 50 * time.Millisecond
	return mcptool.Tools{
		define("test_tool_with_logging", "Log three times", func(ctx context.Context, _ none) (mcptool.Text, error) {
			for _, text := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
				mcptool.Logger(ctx).InfoContext(ctx, text)
				time.Sleep(pause)
			}
			return mcptool.Text{Text: "Logged."}, nil
		}),
		define("test_tool_with_progress", "Report progress three times", func(ctx context.Context, _ none) (mcptool.Text, error) {
			for _, done := range []float64{0, 50, 100} {
				mcptool.Progress(ctx, done, 100, "")
				time.Sleep(pause)
			}
			return mcptool.Text{Text: "Done."}, nil
		}),
		define("test_logging_tool", "Log to who asks for it", func(ctx context.Context, _ none) (mcptool.Text, error) {
			mcptool.Logger(ctx).InfoContext(ctx, "for those who name a level")
			return mcptool.Text{Text: "Logged, if asked to."}, nil
		}),
		define("test_missing_capability", "Need a client that samples", func(ctx context.Context, _ none) (mcptool.Text, error) {
			if err := mcptool.Require(ctx, "sampling"); err != nil {
				return mcptool.Text{}, err
			}
			return mcptool.Text{Text: "The client samples."}, nil
		}),
		define("test_streaming_elicitation", "Return a text and ask nothing", func(context.Context, none) (mcptool.Text, error) {
			return mcptool.Text{Text: "Nothing was asked."}, nil
		}),
		define("test_reconnection", "Take longer than a connection is kept open", func(context.Context, none) (mcptool.Text, error) {
			time.Sleep(pollAfter + 100*time.Millisecond)
			return mcptool.Text{Text: "Reconnected."}, nil
		}),
		define("test_trigger_tool_change", "Change the list of tools", func(context.Context, none) (mcptool.Text, error) {
			extra := define("test_changed", "Come and go", func(context.Context, none) (mcptool.Text, error) {
				return mcptool.Text{Text: "Here."}, nil
			})
			if tools.Remove(extra) == 0 {
				// An error means that a concurrent call has changed the list.
				_ = tools.Add(extra)
			}
			return mcptool.Text{Text: "Changed."}, nil
		}),
		define("test_trigger_prompt_change", "Change the list of prompts", func(context.Context, none) (mcptool.Text, error) {
			extra, err := mcptool.NewPrompt(func(context.Context, none) (string, error) { return "Here.", nil },
				mcptool.Name("test_changed"), mcptool.Description("Come and go"))
			if err != nil {
				return mcptool.Text{}, err
			}
			if tools.Remove(extra) == 0 {
				_ = tools.Add(extra) // as above
			}
			return mcptool.Text{Text: "Changed."}, nil
		}),
	}
}
