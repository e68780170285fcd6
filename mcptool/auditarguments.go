package mcptool

// AuditArguments sets whether a server's audit log ([github.com/mcptool-go/mcptool/runtime.Server]) records the
// arguments of calls, for tools whose use must be traceable in detail. Arguments may be confidential, and the log
// outlives the call. The default is false: records contain no values. In the tag it is auditArguments.
func AuditArguments(yes bool) Option {
	return option(func(d *definition) { set(d, &d.auditArguments, "the option AuditArguments", yes) })
}

// AuditArguments reports whether the audit log records the arguments of calls.
func (t *Tool) AuditArguments() bool { return t.auditArguments }
