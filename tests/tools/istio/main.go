// Pilot-config tells what Istio's pilot configures a gateway's Envoy with, for Kubernetes and Istio objects that it is given.
//
// Each line of standard input is a question (JSON), each line of standard output its answer. Pilot runs in this process: its own
// service registry, validation, xDS generators and authorization builder, over the objects of the question alone.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/runtime"

	"istio.io/istio/pilot/pkg/config/kube/crd"
	"istio.io/istio/pilot/pkg/model"
	v3 "istio.io/istio/pilot/pkg/xds/v3"
	"istio.io/istio/pilot/test/xds"
	"istio.io/istio/pilot/test/xdstest"
	"istio.io/istio/pkg/config"
	"istio.io/istio/pkg/config/constants"
	"istio.io/istio/pkg/config/mesh"
	"istio.io/istio/pkg/config/schema/collections"
	"istio.io/istio/pkg/kube"
	"istio.io/istio/pkg/log"
	"istio.io/istio/pkg/spiffe"
	"istio.io/istio/pkg/test"
	"istio.io/istio/pkg/util/protomarshal"
	"istio.io/istio/pkg/util/sets"
)

// question is what there is in the cluster, and which gateway is meant.
type question struct {
	// Kubernetes has Services, EndpointSlices, Pods and so on.
	Kubernetes []json.RawMessage `json:"kubernetes"`
	// Istio has objects of Istio's own kinds.
	Istio []json.RawMessage `json:"istio"`
	// Mesh is the mesh configuration, as the ConfigMap `istio` holds it (YAML); what it leaves out is Istio's default.
	Mesh string `json:"mesh"`
	// Namespace, Labels and Address are those of the gateway's pod.
	Namespace string            `json:"namespace"`
	Labels    map[string]string `json:"labels"`
	Address   string            `json:"address"`
}

// answer is the configuration, resource by resource in Envoy's own JSON, or why there is none.
type answer struct {
	Error     string            `json:"error,omitempty"`
	Warnings  []string          `json:"warnings"`
	Listeners []json.RawMessage `json:"listeners"`
	Routes    []json.RawMessage `json:"routes"`
	Clusters  []json.RawMessage `json:"clusters"`
	Endpoints []json.RawMessage `json:"endpoints"`
	// Secrets are those that listeners and clusters ask for by name.
	Secrets []json.RawMessage `json:"secrets"`
}

func main() {
	for _, scope := range log.Scopes() {
		scope.SetOutputLevel(log.NoneLevel)
	}
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return // the asker has closed its end
		}
		if err := out.Encode(reply(line)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func reply(line []byte) answer {
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		return answer{Error: err.Error()}
	}
	var told answer
	var failed error
	if err := test.Wrap(func(t test.Failer) { told, failed = configure(t, asked) }); err != nil {
		return answer{Error: err.Error()}
	}
	if failed != nil {
		return answer{Error: failed.Error()}
	}
	return told
}

func configure(t test.Failer, asked question) (answer, error) {
	var told answer
	configs, err := istioObjects(asked.Istio, &told)
	if err != nil {
		return told, err
	}
	objects, err := kubernetesObjects(asked.Kubernetes)
	if err != nil {
		return told, err
	}
	meshConfig, err := mesh.ApplyMeshConfigDefaults(asked.Mesh)
	if err != nil {
		return told, err
	}
	pilot := xds.NewFakeDiscoveryServer(t, xds.FakeOptions{
		Configs:           configs,
		KubernetesObjects: objects,
		MeshConfig:        meshConfig,
		// There is no API server here whose answer would say anything of a cluster's own rules.
		DisableSecretAuthorization: true,
	})
	proxy := pilot.SetupProxy(&model.Proxy{
		Type:            model.Router,
		ID:              "gateway." + asked.Namespace,
		IPAddresses:     []string{asked.Address},
		ConfigNamespace: asked.Namespace,
		Labels:          asked.Labels,
		Metadata: &model.NodeMetadata{
			Namespace:    asked.Namespace,
			Labels:       asked.Labels,
			IstioVersion: "1.31.0",
			ClusterID:    constants.DefaultClusterName,
		},
		VerifiedIdentity: &spiffe.Identity{Namespace: asked.Namespace, ServiceAccount: "gateway"},
	})
	listeners := pilot.Listeners(proxy)
	told.Listeners, err = each(listeners, err)
	told.Routes, err = each(pilot.RoutesFromListeners(proxy, listeners), err)
	clusters := pilot.Clusters(proxy)
	told.Clusters, err = each(clusters, err)
	told.Endpoints, err = each(pilot.Endpoints(proxy), err)
	if err != nil {
		return told, err
	}
	names := sets.New[string]()
	for _, listener := range listeners {
		names.InsertAll(xdstest.ExtractListenerSecretResources(t, listener)...)
	}
	for _, cluster := range clusters {
		names.InsertAll(xdstest.ExtractClusterSecretResources(t, cluster)...)
	}
	told.Secrets, err = secrets(pilot, proxy, names.Delete(""))
	return told, err
}

// secrets are what pilot sends a gateway that asks for these names.
func secrets(pilot *xds.FakeDiscoveryServer, proxy *model.Proxy, names sets.String) ([]json.RawMessage, error) {
	watched := &model.WatchedResource{TypeUrl: v3.SecretType, ResourceNames: names}
	push := &model.PushRequest{Forced: true, Push: pilot.PushContext()}
	found, _, err := pilot.Discovery.Generators[v3.SecretType].Generate(proxy, watched, push)
	told := make([]json.RawMessage, 0, len(found))
	for _, each := range found {
		if err != nil {
			break
		}
		var text []byte
		text, err = protomarshal.Marshal(each.Resource)
		told = append(told, text)
	}
	return told, err
}

// istioObjects reads and judges them, as Istio's admission webhook does.
func istioObjects(raw []json.RawMessage, told *answer) ([]config.Config, error) {
	var configs []config.Config
	var refused []error
	for _, document := range raw {
		read, unknown, err := crd.ParseInputs(string(document))
		if err != nil {
			return nil, err
		}
		if len(unknown) > 0 {
			return nil, fmt.Errorf("not of Istio's kinds: %s", document)
		}
		for _, each := range read {
			schema, found := collections.Pilot.FindByGroupVersionAliasesKind(each.GroupVersionKind)
			if !found {
				return nil, fmt.Errorf("pilot does not read %s", each.GroupVersionKind)
			}
			warning, err := schema.ValidateConfig(each)
			if err != nil {
				refused = append(refused, fmt.Errorf("%s %s: %w", each.GroupVersionKind.Kind, each.Name, err))
			}
			if warning != nil {
				told.Warnings = append(told.Warnings, fmt.Sprintf("%s %s: %v", each.GroupVersionKind.Kind, each.Name, warning))
			}
		}
		configs = append(configs, read...)
	}
	return configs, errors.Join(refused...)
}

func kubernetesObjects(raw []json.RawMessage) ([]runtime.Object, error) {
	objects := make([]runtime.Object, 0, len(raw))
	for _, document := range raw {
		object, _, err := kube.IstioCodec.UniversalDeserializer().Decode(document, nil, nil)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return objects, nil
}

// each is every resource as JSON, unless something has failed already.
func each[M proto.Message](resources []M, failed error) ([]json.RawMessage, error) {
	told := make([]json.RawMessage, 0, len(resources))
	for _, resource := range resources {
		if failed != nil {
			break
		}
		var text []byte
		text, failed = protomarshal.Marshal(resource)
		told = append(told, text)
	}
	return told, failed
}
