import { Drawer, Tabs } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Clock } from './clock.tsx'
import { Fund } from './fund.tsx'
import { Inbox } from './inbox.tsx'
import { MagicValues } from './magic-values.tsx'
import { Data } from './sandbox-data.tsx'

export type SandboxTab = 'inbox' | 'clock' | 'fund' | 'values' | 'data'

/** Sandbox tools: undelivered messages, the clock, test money, magic values, and example data. */
export function SandboxDrawer(props: {
  readonly isOpen: boolean
  readonly close: () => void
  /** The tab shown first. */
  readonly tab: SandboxTab
}) {
  const { isOpen, close, tab } = props
  const client = useQueryClient()
  // Anything shown on a page may have changed.
  const refreshData = () => void client.invalidateQueries()
  return (
    <Drawer opened={isOpen} onClose={close} title="Sandbox" position="right" size="lg">
      <Tabs defaultValue={tab} keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="inbox">Inbox</Tabs.Tab>
          <Tabs.Tab value="clock">Clock</Tabs.Tab>
          <Tabs.Tab value="fund">Fund</Tabs.Tab>
          <Tabs.Tab value="values">Magic values</Tabs.Tab>
          <Tabs.Tab value="data">Data</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="inbox">
          <Inbox />
        </Tabs.Panel>
        <Tabs.Panel value="clock">
          <Clock onChange={refreshData} />
        </Tabs.Panel>
        <Tabs.Panel value="fund">
          <Fund onChange={refreshData} />
        </Tabs.Panel>
        <Tabs.Panel value="values">
          <MagicValues />
        </Tabs.Panel>
        <Tabs.Panel value="data">
          <Data onChange={refreshData} />
        </Tabs.Panel>
      </Tabs>
    </Drawer>
  )
}
