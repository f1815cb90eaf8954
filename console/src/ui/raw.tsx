import { formatJson } from './words.ts'

/** Shows data exactly as the API returns it. */
export function Raw({ value, title = 'Raw' }: { readonly value: unknown; readonly title?: string }) {
  return (
    <details className="raw">
      <summary>{title}</summary>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        tabIndex={0}
      >
        {typeof value === 'string' ? value : formatJson(value)}
      </pre>
    </details>
  )
}
