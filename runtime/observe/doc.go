// Package observe has observers for [github.com/mcptool-go/mcptool/runtime.Server]: [Counters], and
// [All], which combines several. The module integrations/otelmcp has one for OpenTelemetry.
//
//	counters := new(observe.Counters)
//	expvar.Publish("mcp", counters) // at /debug/vars
//	srv := &runtime.Server{Observer: counters}
package observe
