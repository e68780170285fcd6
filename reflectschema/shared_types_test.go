package reflectschema_test

// Types like those of Kubernetes: large nested structs that are used in many places. Without definitions, the schema of
// k8sCluster has more than 10,000 parts.
type (
	k8sMeta struct {
		Name        string            `json:"name" jsonschema:"maxLength=253"`
		Namespace   string            `json:"namespace,omitempty" jsonschema:"default=default"`
		Labels      map[string]string `json:"labels,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
	}
	k8sSelector struct {
		MatchLabels      map[string]string `json:"matchLabels,omitempty"`
		MatchExpressions []k8sRequirement  `json:"matchExpressions,omitempty"`
	}
	k8sRequirement struct {
		Key      string   `json:"key"`
		Operator string   `json:"operator" jsonschema:"enum=In,enum=NotIn,enum=Exists,enum=DoesNotExist"`
		Values   []string `json:"values,omitempty"`
	}
	k8sKeyRef struct {
		Name     string `json:"name,omitempty" jsonschema:"default=main"`
		Key      string `json:"key"`
		Optional *bool  `json:"optional,omitempty"`
	}
	k8sFieldRef struct {
		APIVersion string `json:"apiVersion,omitempty"`
		FieldPath  string `json:"fieldPath"`
	}
	k8sResourceRef struct {
		Container string `json:"containerName,omitempty"`
		Resource  string `json:"resource"`
		Divisor   string `json:"divisor,omitempty"`
	}
	k8sEnv struct {
		Name      string     `json:"name" doc:"Name of the variable"`
		Value     string     `json:"value,omitempty"`
		ValueFrom *k8sSource `json:"valueFrom,omitempty" doc:"Where the value is from"`
	}
	k8sSource struct {
		Field     *k8sFieldRef    `json:"fieldRef,omitempty"`
		Resource  *k8sResourceRef `json:"resourceFieldRef,omitempty"`
		ConfigMap *k8sKeyRef      `json:"configMapKeyRef,omitempty"`
		Secret    *k8sKeyRef      `json:"secretKeyRef,omitempty"`
	}
	k8sHTTP struct {
		Path    string   `json:"path,omitempty"`
		Port    int32    `json:"port" jsonschema:"minimum=1,maximum=65535"`
		Host    string   `json:"host,omitempty"`
		Scheme  string   `json:"scheme,omitempty" jsonschema:"enum=HTTP,enum=HTTPS"`
		Headers []k8sEnv `json:"httpHeaders,omitempty"`
	}
	k8sHandler struct {
		Exec *struct {
			Command []string `json:"command,omitempty"`
		} `json:"exec,omitempty"`
		HTTP *k8sHTTP `json:"httpGet,omitempty"`
		TCP  *k8sHTTP `json:"tcpSocket,omitempty"`
	}
	k8sProbe struct {
		k8sHandler
		Delay    int32 `json:"initialDelaySeconds,omitempty"`
		Timeout  int32 `json:"timeoutSeconds,omitempty"`
		Period   int32 `json:"periodSeconds,omitempty"`
		Failures int32 `json:"failureThreshold,omitempty"`
	}
	k8sSecurity struct {
		Privileged *bool    `json:"privileged,omitempty"`
		User       *int32   `json:"runAsUser,omitempty"`
		Group      *int32   `json:"runAsGroup,omitempty"`
		Add        []string `json:"add,omitempty"`
		Drop       []string `json:"drop,omitempty"`
	}
	k8sResources struct {
		Limits   map[string]string `json:"limits,omitempty"`
		Requests map[string]string `json:"requests,omitempty"`
	}
	k8sMount struct {
		Name     string `json:"name"`
		Path     string `json:"mountPath"`
		SubPath  string `json:"subPath,omitempty"`
		ReadOnly bool   `json:"readOnly,omitempty"`
	}
	k8sContainer struct {
		Name      string       `json:"name" jsonschema:"minLength=1"`
		Image     string       `json:"image,omitempty"`
		Command   []string     `json:"command,omitempty"`
		Args      []string     `json:"args,omitempty"`
		Env       []k8sEnv     `json:"env,omitempty" jsonschema:"maxItems=100"`
		Resources k8sResources `json:"resources,omitzero" doc:"What it takes"`
		Mounts    []k8sMount   `json:"volumeMounts,omitempty"`
		Live      *k8sProbe    `json:"livenessProbe,omitempty"`
		Ready     *k8sProbe    `json:"readinessProbe,omitempty"`
		Startup   *k8sProbe    `json:"startupProbe,omitempty"`
		PostStart *k8sHandler  `json:"postStart,omitempty"`
		PreStop   *k8sHandler  `json:"preStop,omitempty"`
		Security  *k8sSecurity `json:"securityContext,omitempty"`
	}
	k8sItems struct {
		Name    string       `json:"name,omitempty"`
		Items   []k8sMount   `json:"items,omitempty"`
		Secrets []k8sKeyRef  `json:"secrets,omitempty"`
		Mode    *int32       `json:"defaultMode,omitempty"`
		Select  *k8sSelector `json:"selector,omitempty"`
	}
	k8sDisk struct {
		ID       string     `json:"id"`
		FSType   string     `json:"fsType,omitempty"`
		ReadOnly bool       `json:"readOnly,omitempty"`
		Secret   *k8sKeyRef `json:"secretRef,omitempty"`
	}
	k8sVolume struct {
		Name      string    `json:"name"`
		AWS       *k8sDisk  `json:"aws,omitempty"`
		Azure     *k8sDisk  `json:"azureDisk,omitempty"`
		AzureFile *k8sDisk  `json:"azureFile,omitempty"`
		Ceph      *k8sDisk  `json:"cephfs,omitempty"`
		Cinder    *k8sDisk  `json:"cinder,omitempty"`
		ConfigMap *k8sItems `json:"configMap,omitempty"`
		CSI       *k8sDisk  `json:"csi,omitempty"`
		Downward  *k8sItems `json:"downwardAPI,omitempty"`
		Empty     *k8sDisk  `json:"emptyDir,omitempty"`
		Ephemeral *k8sItems `json:"ephemeral,omitempty"`
		FC        *k8sDisk  `json:"fc,omitempty"`
		Flex      *k8sDisk  `json:"flexVolume,omitempty"`
		Flocker   *k8sDisk  `json:"flocker,omitempty"`
		GCE       *k8sDisk  `json:"gcePersistentDisk,omitempty"`
		Git       *k8sDisk  `json:"gitRepo,omitempty"`
		Gluster   *k8sDisk  `json:"glusterfs,omitempty"`
		Host      *k8sDisk  `json:"hostPath,omitempty"`
		ISCSI     *k8sDisk  `json:"iscsi,omitempty"`
		NFS       *k8sDisk  `json:"nfs,omitempty"`
		Claim     *k8sDisk  `json:"persistentVolumeClaim,omitempty"`
		Photon    *k8sDisk  `json:"photonPersistentDisk,omitempty"`
		Portworx  *k8sDisk  `json:"portworxVolume,omitempty"`
		Projected *k8sItems `json:"projected,omitempty"`
		Quobyte   *k8sDisk  `json:"quobyte,omitempty"`
		RBD       *k8sDisk  `json:"rbd,omitempty"`
		ScaleIO   *k8sDisk  `json:"scaleIO,omitempty"`
		Secret    *k8sItems `json:"secret,omitempty"`
		Storage   *k8sDisk  `json:"storageos,omitempty"`
		VSphere   *k8sDisk  `json:"vsphereVolume,omitempty"`
	}
	k8sTerm struct {
		Labels     *k8sSelector `json:"labelSelector,omitempty"`
		Spaces     *k8sSelector `json:"namespaceSelector,omitempty"`
		Topology   string       `json:"topologyKey"`
		Weight     int32        `json:"weight,omitempty" jsonschema:"minimum=1,maximum=100"`
		Namespaces []string     `json:"namespaces,omitempty"`
	}
	k8sTerms struct {
		Required  []k8sTerm `json:"required,omitempty"`
		Preferred []k8sTerm `json:"preferred,omitempty"`
	}
	k8sAffinity struct {
		Node    *k8sTerms `json:"nodeAffinity,omitempty"`
		Pod     *k8sTerms `json:"podAffinity,omitempty"`
		AntiPod *k8sTerms `json:"podAntiAffinity,omitempty"`
	}
	k8sPod struct {
		Meta       k8sMeta        `json:"metadata"`
		Containers []k8sContainer `json:"containers" jsonschema:"minItems=1"`
		Init       []k8sContainer `json:"initContainers,omitempty"`
		Ephemeral  []k8sContainer `json:"ephemeralContainers,omitempty"`
		Volumes    []k8sVolume    `json:"volumes,omitempty"`
		Affinity   *k8sAffinity   `json:"affinity,omitempty"`
		Security   *k8sSecurity   `json:"securityContext,omitempty"`
		NodeLabels k8sSelector    `json:"nodeSelector,omitzero"`
	}
	k8sWorkload struct {
		Meta     k8sMeta      `json:"metadata" doc:"Of the workload, not of its pods"`
		Replicas *int32       `json:"replicas,omitempty" jsonschema:"minimum=0"`
		Selector *k8sSelector `json:"selector,omitempty"`
		Template k8sPod       `json:"template"`
	}
	k8sCluster struct {
		Meta         k8sMeta                `json:"metadata"`
		Deployments  []k8sWorkload          `json:"deployments,omitempty"`
		StatefulSets []k8sWorkload          `json:"statefulSets,omitempty"`
		DaemonSets   map[string]k8sWorkload `json:"daemonSets,omitempty"`
		ReplicaSets  []k8sWorkload          `json:"replicaSets,omitempty"`
		Jobs         []k8sWorkload          `json:"jobs,omitempty"`
		CronJobs     []k8sWorkload          `json:"cronJobs,omitempty"`
		Pods         []k8sPod               `json:"pods,omitempty"`
		Main         *k8sPod                `json:"main,omitempty" doc:"The pod that matters"`
		Extra        any                    `json:"extra,omitempty"`
	}
)
