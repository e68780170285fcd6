// Package observe defines [Observer], which is notified of what a [github.com/mcptool-go/mcptool/runtime.Server]
// does for clients. It has [Counters], and [All], which combines several observers. The module
// integrations/otelmcp has an observer for OpenTelemetry.
//
//	counters := new(observe.Counters)
//	expvar.Publish("mcp", counters) // at /debug/vars
//	srv := &runtime.Server{Observer: counters}
package observe
