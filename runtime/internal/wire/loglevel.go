package wire

import "log/slog"

// LogLevel is a log level of the protocol, one of the severities of syslog. More severe levels are greater.
type LogLevel int32

// The levels. NoLogLevel means that there is none.
const (
	NoLogLevel LogLevel = iota
	logDebug
	logInfo
	logNotice
	logWarning
	logError
	logCritical
	logAlert
	logEmergency

	// DefaultLogLevel is the level of a legacy client that has not set one.
	DefaultLogLevel = logInfo
)

var logLevelNames = [...]string{
	NoLogLevel: "", logDebug: "debug", logInfo: "info", logNotice: "notice", logWarning: "warning",
	logError: "error", logCritical: "critical", logAlert: "alert", logEmergency: "emergency",
}

func (l LogLevel) String() string { return logLevelNames[l] }

// ParseLogLevel returns the level whose name is raw, a valid JSON value or nil. It returns [NoLogLevel] if raw is not
// the name of a level.
func ParseLogLevel(raw []byte) LogLevel {
	name := TextOf(raw)
	for l := logDebug; l <= logEmergency; l++ {
		if logLevelNames[l] == name {
			return l
		}
	}
	return NoLogLevel
}

// LogLevelOf converts a level of slog to one of the protocol. The named levels of slog are converted to the levels with
// the same names. Levels from Info+2 up to Warn are notice. Above Error, each step of 4 is one protocol level.
func LogLevelOf(l slog.Level) LogLevel {
	switch {
	case l < slog.LevelInfo:
		return logDebug
	case l < slog.LevelInfo+2:
		return logInfo
	case l < slog.LevelWarn:
		return logNotice
	case l < slog.LevelError:
		return logWarning
	default:
		return logError + LogLevel(min((l-slog.LevelError)/4, slog.Level(logEmergency-logError)))
	}
}
