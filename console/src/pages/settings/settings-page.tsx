import { Tabs } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Page } from '../../ui/page.tsx'
import { Appearance } from './appearance.tsx'
import { IdentityTokens } from './identity-tokens.tsx'
import { Members } from './members.tsx'
import { MyAccount } from './my-account.tsx'
import { PasskeySettings } from './passkey-settings.tsx'
import { PlatformSettings } from './platform-settings.tsx'
import { RiskSettings } from './risk-settings.tsx'
import { RoleList } from './role-list.tsx'
import { Tokens } from './tokens.tsx'
import { WatchSettings } from './watch-settings.tsx'
import { WebhookSettings } from './webhook-settings.tsx'

/** The sections of the settings. Each has its own path. */
const PARTS: readonly { readonly name: string; readonly title: string; readonly content: ReactNode }[] = [
  { name: 'you', title: 'You', content: <MyAccount /> },
  { name: 'members', title: 'Members', content: <Members /> },
  { name: 'roles', title: 'Roles', content: <RoleList /> },
  { name: 'tokens', title: 'API tokens', content: <Tokens /> },
  { name: 'webhook', title: 'Webhook', content: <WebhookSettings /> },
  { name: 'platform', title: 'Platform', content: <PlatformSettings /> },
  { name: 'risk', title: 'Holds and limits', content: <RiskSettings /> },
  { name: 'watches', title: 'Low-water marks', content: <WatchSettings /> },
  { name: 'passkeys', title: 'Passkeys', content: <PasskeySettings /> },
  { name: 'identity', title: 'Identity tokens', content: <IdentityTokens /> },
  { name: 'appearance', title: 'Appearance', content: <Appearance /> },
]

const route = getRouteApi('/settings')

/** The settings of the platform and of the signed-in member. */
export function Settings() {
  const { part = 'you' } = route.useSearch()
  const navigate = useNavigate()
  const current = PARTS.some(({ name }) => name === part) ? part : 'you'
  return (
    <Page title="Settings">
      <Tabs
        value={current}
        onChange={(name) => name && void navigate({ to: '/settings', search: { part: name } })}
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          {PARTS.map(({ name, title }) => (
            <Tabs.Tab key={name} value={name}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {PARTS.map(({ name, content }) => (
          <Tabs.Panel key={name} value={name}>
            {content}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  )
}
