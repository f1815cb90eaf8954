import { Button, Stack, Text, Tooltip } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, Loading } from '../../ui/states.tsx'
import { formatConstant } from '../../ui/status-meaning.ts'

/** The values that control the sandbox. Each is a button that copies it. */
export function MagicValues() {
  const { copy, copied } = useClipboard()
  const { data, error } = useQuery({
    queryKey: ['magic-values'],
    queryFn: () => countersign.sandbox.magicValues(),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (error) return <ErrorState error={error} />
  if (!data) return <Loading lines={8} />
  return (
    <Stack>
      <Text size="sm" c="dimmed" role="status">
        {copied ? 'Copied.' : 'A value that begins with … is a suffix: end the field with it.'}
      </Text>
      {data.data.map(({ family, appliesTo, places, values, otherwise }) => (
        <Panel key={family} title={formatConstant(family)}>
          <Text size="sm" c="dimmed" mb="sm">
            {appliesTo}. Given in: {places.join('; ')}.
          </Text>
          <dl className="facts">
            {values.map(({ suffix, value, meaning }) => {
              const text = value ?? suffix ?? ''
              return (
                <div key={text} style={{ display: 'contents' }}>
                  <dt>
                    <Tooltip label="Copy">
                      <Button size="compact-xs" variant="default" ff="monospace" onClick={() => copy(text)}>
                        {value ?? `…${suffix}`}
                      </Button>
                    </Tooltip>
                  </dt>
                  <dd>{meaning}</dd>
                </div>
              )
            })}
            <dt>Any other</dt>
            <dd>{otherwise}</dd>
          </dl>
        </Panel>
      ))}
    </Stack>
  )
}
