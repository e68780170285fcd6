package wire

import (
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/jsonscan"
)

// LogLevel is a level of the protocol's log: those of syslog, the least severe first.
type LogLevel int32

// All levels, and none.
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

// ParseLogLevel reads a level from raw, a valid JSON value or nil. It returns [NoLogLevel] if that is not the name of a
// level.
func ParseLogLevel(raw []byte) LogLevel {
	if jsonscan.KindOf(raw) != jsonscan.String {
		return NoLogLevel
	}
	name := string(jsonscan.Unquote(raw))
	for l := logDebug; l <= logEmergency; l++ {
		if logLevelNames[l] == name {
			return l
		}
	}
	return NoLogLevel
}

// LogLevelOf returns the protocol's level for one of slog's. The four named levels of slog have the same names there.
// Of the others, two above info is notice, and each four above error is one level more.
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
