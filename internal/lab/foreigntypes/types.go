package main

import (
	"archive/zip"
	"crypto/x509"
	"database/sql"
	"encoding/json"
	"go/token"
	"image"
	"log/slog"
	"math/big"
	"mime/multipart"
	"net"
	"net/http"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"runtime/debug"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/digitalocean/godo"
	"github.com/docker/docker/api/types/container"
	dockerimage "github.com/docker/docker/api/types/image"
	"github.com/docker/docker/api/types/network"
	"github.com/docker/docker/api/types/swarm"
	"github.com/docker/docker/api/types/system"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-openapi/strfmt"
	"github.com/google/go-github/v93/github"
	"github.com/google/uuid"
	"github.com/guregu/null/v6"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/oapi-codegen/nullable"
	oapi "github.com/oapi-codegen/runtime/types"
	"github.com/oklog/ulid/v2"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
	"github.com/prometheus/common/model"
	"github.com/shopspring/decimal"
	"github.com/slack-go/slack"
	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Types that authors write around the types of other modules.
type (
	// Required has a value of another module as a required member.
	Required[T any] struct {
		V T `json:"v"`
	}
	// OrAbsent has one that may be absent, and a list.
	OrAbsent[T any] struct {
		P *T  `json:"p,omitempty"`
		L []T `json:"l"`
	}
	// OmitZero has one that encoding/json omits if it is zero.
	OmitZero[T any] struct {
		V T `json:"v,omitzero"`
	}
	// AuthorRow is a row as sqlc generates it.
	AuthorRow struct {
		ID        int64              `json:"id"`
		Name      string             `json:"name"`
		Bio       pgtype.Text        `json:"bio"`
		CreatedAt pgtype.Timestamptz `json:"created_at"`
	}
	// IssueList is a list of values of a client.
	IssueList struct {
		Issues []*github.Issue `json:"issues"`
	}
	// IssueUpdate has the address of a resource beside the request of a client.
	IssueUpdate struct {
		Owner string                    `json:"owner"`
		Repo  string                    `json:"repo"`
		Issue github.UpdateIssueRequest `json:"issue"`
	}
	// IssueWithNote embeds a value of a client.
	IssueWithNote struct {
		github.Issue
		Note string `json:"note"`
	}
)

// subjects returns the types to check, in the order of the output.
func subjects() []subject {
	var list []subject
	for _, part := range [][]subject{
		openaiTypes(), s3Types(), slackTypes(), generatorTypes(), databaseTypes(), protobufTypes(), gitlabTypes(), githubTypes(),
		cloudTypes(), prometheusTypes(), kubernetesTypes(), standardTypes(), networkTypes(), valueTypes(),
	} {
		list = append(list, part...)
	}
	return list
}

func openaiTypes() []subject {
	return []subject{
		of[openai.ChatCompletion](), of[openai.ChatCompletionNewParams](), of[openai.ChatCompletionMessage](),
		of[openai.EmbeddingNewParams](), of[openai.ImageGenerateParams](), of[shared.FunctionDefinitionParam](),
		of[responses.Response](), of[responses.ResponseNewParams](),
		of[OmitZero[param.Opt[string]]](), of[Required[param.Opt[int64]]](),
	}
}

func s3Types() []subject {
	return []subject{
		of[s3types.Object](), of[s3types.Bucket](), of[s3types.LifecycleRule](), of[s3types.Grant](),
		of[s3types.ServerSideEncryptionRule](), of[s3.ListObjectsV2Input](), of[s3.ListObjectsV2Output](), of[s3.GetObjectOutput](),
	}
}

func slackTypes() []subject {
	return []subject{
		of[slack.Message](), of[slack.Msg](), of[slack.Channel](), of[slack.User](), of[slack.File](), of[slack.Attachment](),
		of[slack.SectionBlock](), of[slack.ActionBlock](), of[slack.ContextBlock](), of[slack.Blocks](), of[slack.TextBlockObject](),
		of[slack.GetConversationHistoryParameters](), of[slack.GetConversationHistoryResponse](), of[slack.InteractionCallback](),
	}
}

// generatorTypes returns types of modules that generated clients use.
func generatorTypes() []subject {
	return []subject{
		of[Required[strfmt.DateTime]](), of[Required[strfmt.Date]](), of[Required[strfmt.Email]](), of[Required[strfmt.UUID]](),
		of[Required[strfmt.Base64]](), of[Required[strfmt.Duration]](),
		of[openapi3.T](), of[openapi3.Schema](),
		of[Required[oapi.Date]](), of[Required[oapi.Email]](), of[Required[uuid.UUID]](), of[Required[oapi.File]](),
		of[Required[nullable.Nullable[string]]](), of[OrAbsent[nullable.Nullable[string]]](),
	}
}

func databaseTypes() []subject {
	return []subject{
		of[AuthorRow](),
		of[Required[pgtype.Text]](), of[Required[pgtype.Int8]](), of[Required[pgtype.Bool]](), of[Required[pgtype.Numeric]](),
		of[Required[pgtype.Timestamptz]](), of[Required[pgtype.Date]](), of[Required[pgtype.Interval]](), of[Required[pgtype.UUID]](),
		of[Required[pgtype.Point]](), of[Required[pgtype.Range[pgtype.Int4]]](), of[pgconn.PgError](),
		of[Required[sql.NullString]](), of[OrAbsent[sql.NullString]](), of[Required[sql.NullTime]](), of[OrAbsent[sql.NullTime]](),
		of[Required[sql.Null[int]]](), of[OrAbsent[sql.Null[int]]](),
		of[Required[null.String]](), of[OrAbsent[null.String]](), of[Required[null.Int]](), of[OrAbsent[null.Int]](),
		of[Required[null.Time]](), of[OrAbsent[null.Time]](),
	}
}

func protobufTypes() []subject {
	return []subject{
		of[status.Status](), of[errdetails.ErrorInfo](), of[Required[*timestamppb.Timestamp]](),
		of[Required[*durationpb.Duration]](), of[Required[*structpb.Struct]](),
	}
}

func gitlabTypes() []subject {
	return []subject{
		of[gitlab.Issue](), of[gitlab.MergeRequest](), of[gitlab.Project](), of[gitlab.Pipeline](),
		of[gitlab.CreateIssueOptions](), of[gitlab.ListProjectIssuesOptions](),
	}
}

func githubTypes() []subject {
	return []subject{
		of[github.Issue](), of[github.PullRequest](), of[github.Repository](), of[github.WorkflowRun](), of[github.User](),
		of[github.RepositoryCommit](), of[github.IssueComment](), of[github.RepositoryRelease](), of[github.CheckRun](),
		of[github.Event](), of[github.UpdateIssueRequest](), of[github.CreatePullRequest](), of[github.IssueListByRepoOptions](),
		of[github.SearchOptions](), of[github.IssuesSearchResult](), of[github.CodeSearchResult](), of[github.RepositoryContent](),
		of[github.Tree](), of[github.Gist](), of[github.RepositoryRuleset](), of[github.Timestamp](),
		of[IssueList](), of[IssueUpdate](), of[IssueWithNote](),
	}
}

func cloudTypes() []subject {
	return []subject{
		of[godo.Droplet](), of[godo.DropletCreateRequest](), of[godo.KubernetesCluster](), of[godo.Volume](),
		of[container.Summary](), of[container.InspectResponse](), of[container.Config](), of[container.HostConfig](),
		of[container.StatsResponse](), of[dockerimage.Summary](), of[dockerimage.InspectResponse](), of[network.Inspect](),
		of[swarm.Service](), of[system.Info](),
	}
}

func prometheusTypes() []subject {
	return []subject{
		of[model.Alert](), of[model.Sample](), of[model.SampleStream](), of[model.SamplePair](), of[model.SampleHistogram](),
		of[Required[model.Vector]](), of[Required[model.Matrix]](), of[Required[model.Metric]](), of[Required[model.Duration]](),
		of[Required[model.Time]](), of[Required[model.LabelSet]](), of[Required[model.Value]](),
	}
}

func kubernetesTypes() []subject {
	return []subject{
		of[corev1.Pod](), of[corev1.PodSpec](), of[corev1.PodList](), of[corev1.Service](), of[corev1.Node](), of[corev1.ConfigMap](),
		of[corev1.Secret](), of[corev1.Event](), of[corev1.Container](), of[corev1.PersistentVolumeClaim](),
		of[appsv1.Deployment](), of[appsv1.StatefulSet](), of[batchv1.CronJob](), of[networkingv1.Ingress](), of[rbacv1.Role](),
		of[metav1.ObjectMeta](), of[metav1.ListOptions](), of[metav1.LabelSelector](), of[metav1.Status](),
		of[Required[metav1.Time]](), of[Required[metav1.Duration]](), of[Required[intstr.IntOrString]](),
		of[Required[resource.Quantity]](), of[unstructured.Unstructured](),
	}
}

func standardTypes() []subject {
	return []subject{
		of[zip.FileHeader](), of[x509.Certificate](), of[token.Position](), of[image.Point](), of[debug.BuildInfo](),
		of[Required[json.RawMessage]](), of[OrAbsent[json.RawMessage]](), of[Required[json.Number]](), of[OrAbsent[json.Number]](),
		of[Required[slog.Level]](), of[OrAbsent[slog.Level]](), of[Required[big.Int]](), of[OrAbsent[big.Int]](),
		of[Required[big.Float]](), of[OrAbsent[big.Float]](), of[Required[big.Rat]](), of[OrAbsent[big.Rat]](),
		of[Required[regexp.Regexp]](), of[OrAbsent[regexp.Regexp]](),
		of[Required[time.Time]](), of[OrAbsent[time.Time]](), of[Required[time.Duration]](), of[OrAbsent[time.Duration]](),
		of[Required[time.Month]](), of[OrAbsent[time.Month]](),
	}
}

func networkTypes() []subject {
	return []subject{
		of[multipart.FileHeader](), of[Required[net.IP]](), of[OrAbsent[net.IP]](), of[Required[net.TCPAddr]](), of[OrAbsent[net.TCPAddr]](),
		of[Required[http.Header]](), of[OrAbsent[http.Header]](), of[http.Cookie](), of[http.Response](), of[http.Request](),
		of[mail.Address](), of[Required[netip.Addr]](), of[OrAbsent[netip.Addr]](), of[Required[netip.Prefix]](),
		of[OrAbsent[netip.Prefix]](), of[Required[netip.AddrPort]](), of[OrAbsent[netip.AddrPort]](),
		of[Required[url.URL]](), of[OrAbsent[url.URL]](), of[Required[url.Values]](), of[OrAbsent[url.Values]](),
	}
}

// valueTypes returns types of small modules for one kind of value.
func valueTypes() []subject {
	return []subject{
		of[Required[*uuid.UUID]](), of[OrAbsent[uuid.UUID]](), of[Required[uuid.NullUUID]](), of[OrAbsent[uuid.NullUUID]](),
		of[Required[ulid.ULID]](), of[OrAbsent[ulid.ULID]](), of[Required[decimal.Decimal]](), of[OrAbsent[decimal.Decimal]](),
		of[Required[decimal.NullDecimal]](), of[OrAbsent[decimal.NullDecimal]](),
	}
}
