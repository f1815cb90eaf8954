import { ConnectionError, CountersignError } from '@countersign/sdk'
import { Button, Skeleton, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** An empty state: the reason, and the next step. */
export function EmptyState(props: {
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}) {
  return (
    <Stack align="center" gap="xs" py="xl" px="md" ta="center">
      <Title order={3}>{props.title}</Title>
      {props.children && (
        <Text c="dimmed" size="sm" maw={440}>
          {props.children}
        </Text>
      )}
      {props.action}
    </Stack>
  )
}

/** The server's error message, and a button to try again. */
export function ErrorState({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  return (
    <div className="notice failed" role="alert">
      <span className="anywhere">{messageOf(error)}</span>
      {retry && (
        <Button size="xs" variant="default" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  )
}

/** An error in one sentence. */
export function messageOf(error: unknown): string {
  if (error instanceof ConnectionError) return 'The server cannot be reached. It may be restarting.'
  if (error instanceof CountersignError) return error.reason ?? error.message
  return error instanceof Error ? error.message : String(error)
}

/** Placeholder lines of the same height as the loading content. */
export function Loading({ lines = 4 }: { readonly lines?: number }) {
  return (
    <Stack gap="xs" role="status" aria-busy="true" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        // The lines never change their order.
        <Skeleton key={line} h={20} w={line % 3 === 2 ? '60%' : '100%'} />
      ))}
    </Stack>
  )
}
