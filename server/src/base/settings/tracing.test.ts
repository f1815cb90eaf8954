import { expect, test } from 'vitest'
import { readTracing } from './tracing.ts'

const ENDPOINT = 'http://collector:4318'
const read = (settings: Record<string, string> = {}) =>
  readTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT, ...settings }).tracing

test('tracing is disabled without an endpoint, regardless of other settings', () => {
  expect(readTracing({})).toEqual({})
  expect(readTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_TRACES_SAMPLER: 'jaeger_remote' })).toEqual({})
})

test('tracing needs only an endpoint, and all other settings have defaults', () => {
  expect(read()).toEqual({
    url: 'http://collector:4318/v1/traces',
    headers: {},
    protocol: 'http/protobuf',
    serviceName: 'countersign',
    sampler: 'parentbased_traceidratio',
    ratio: 1,
    delayMs: 5000,
  })
})

test('tracing is configured with the standard variables of OpenTelemetry', () => {
  const tracing = read({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otlp.example.com/otlp/',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%2Cb%3D, x-tenant=one,',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_SERVICE_NAME: 'payments',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '.25',
    OTEL_BSP_SCHEDULE_DELAY: '1000',
  })
  expect(tracing).toEqual({
    url: 'https://otlp.example.com/otlp/v1/traces',
    headers: { 'api-key': 'a,b=', 'x-tenant': 'one' },
    protocol: 'http/json',
    serviceName: 'payments',
    sampler: 'traceidratio',
    ratio: 0.25,
    delayMs: 1000,
  })
})

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://collector:4317'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:s3cret@collector'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector?key=s3cret'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 's3cret'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'api key=s3cret'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'key=s3cret%0d%0ax'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'key=s3cret%'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.1'],
  ['OTEL_TRACES_SAMPLER_ARG', '-1'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.0.0'],
  ['OTEL_BSP_SCHEDULE_DELAY', '1'],
])('%s=%s is rejected with one line that names the setting and repeats no secret', (name, value) => {
  const reading = () => read({ [name]: value })
  expect(reading).toThrow(new RegExp(`^${name} must be [^\\n]*$`))
  expect(reading).not.toThrow(/s3cret/)
})
