<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>AboutDialog</name>
    <message>
        <source>Speech made by an open model, on your own machine.</source>
        <translation>用开放模型在您自己的电脑上生成语音。</translation>
    </message>
    <message>
        <source>Version %1</source>
        <translation>版本 %1</translation>
    </message>
    <message>
        <source>Model: %1 (%2)</source>
        <translation>模型：%1（%2）</translation>
    </message>
    <message>
        <source>Generated speech is synthetic: say so where you publish it. Use a voice only with the consent of its owner.</source>
        <translation>生成的语音是合成的：发布时请说明。只使用经本人同意的声音。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>Actions</name>
    <message>
        <source>&amp;New project</source>
        <translation>新建项目(&amp;N)</translation>
    </message>
    <message>
        <source>Start an empty script.</source>
        <translation>从空白文稿开始。</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>打开(&amp;O)…</translation>
    </message>
    <message>
        <source>Open a project or a text file.</source>
        <translation>打开项目或文本文件。</translation>
    </message>
    <message>
        <source>Open the &amp;sample project</source>
        <translation>打开示例项目(&amp;S)</translation>
    </message>
    <message>
        <source>A short script with two voices, ready to be heard.</source>
        <translation>一份双声音的短文稿，可以立即收听。</translation>
    </message>
    <message>
        <source>&amp;Import text…</source>
        <translation>导入文本(&amp;I)…</translation>
    </message>
    <message>
        <source>Bring in a text, a document, a book or subtitles.</source>
        <translation>导入文本、文档、书籍或字幕。</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>Everything is kept as you write; this gives an untitled project a name.</source>
        <translation>内容会随写随存；此操作为未命名的项目命名。</translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation>另存为(&amp;A)…</translation>
    </message>
    <message>
        <source>Keep a copy under another name and go on in it.</source>
        <translation>以另一个名称保存副本，并在其中继续工作。</translation>
    </message>
    <message>
        <source>&amp;Compact</source>
        <translation>压缩项目(&amp;C)</translation>
    </message>
    <message>
        <source>Make the project’s file smaller: takes that nothing needs are left out.</source>
        <translation>缩小项目文件：不再需要的录音将被移除。</translation>
    </message>
    <message>
        <source>Earlier &amp;versions…</source>
        <translation>较早的版本(&amp;V)…</translation>
    </message>
    <message>
        <source>The script as it was when it was opened, and on the last days.</source>
        <translation>文稿在打开时以及最近几天的样子。</translation>
    </message>
    <message>
        <source>&amp;Recover a project…</source>
        <translation>恢复项目(&amp;R)…</translation>
    </message>
    <message>
        <source>Untitled projects and what was left by a crash.</source>
        <translation>未命名的项目以及崩溃后留下的内容。</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>导出(&amp;E)…</translation>
    </message>
    <message>
        <source>Write the programme as sound files, with subtitles if you like.</source>
        <translation>将节目写成音频文件，可附带字幕。</translation>
    </message>
    <message>
        <source>Export this &amp;chapter…</source>
        <translation>导出本章(&amp;C)…</translation>
    </message>
    <message>
        <source>Export the selection…</source>
        <translation>导出所选…</translation>
    </message>
    <message>
        <source>&amp;Preferences…</source>
        <translation>首选项(&amp;P)…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>Cu&amp;t</source>
        <translation>剪切(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Paste</source>
        <translation>粘贴(&amp;P)</translation>
    </message>
    <message>
        <source>Select &amp;all</source>
        <translation>全选(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Find…</source>
        <translation>查找(&amp;F)…</translation>
    </message>
    <message>
        <source>Find in the script, also by pattern.</source>
        <translation>在文稿中查找，支持正则表达式。</translation>
    </message>
    <message>
        <source>R&amp;eplace…</source>
        <translation>替换(&amp;E)…</translation>
    </message>
    <message>
        <source>Replace in the script; only changed lines have to be spoken again.</source>
        <translation>在文稿中替换；只有改动的行需要重新朗读。</translation>
    </message>
    <message>
        <source>Find &amp;next</source>
        <translation>查找下一个(&amp;N)</translation>
    </message>
    <message>
        <source>Find pre&amp;vious</source>
        <translation>查找上一个(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Pronunciations…</source>
        <translation>读音(&amp;P)…</translation>
    </message>
    <message>
        <source>Words and how they are to be spoken, for the whole project.</source>
        <translation>整个项目中各词的读法。</translation>
    </message>
    <message>
        <source>&amp;Pause</source>
        <translation>停顿(&amp;P)</translation>
    </message>
    <message>
        <source>A pause at the caret; drag it longer or click it to type a length.</source>
        <translation>在光标处插入停顿；可拖动加长，或点击输入时长。</translation>
    </message>
    <message>
        <source>&amp;Length of this line</source>
        <translation>本行时长(&amp;L)</translation>
    </message>
    <message>
        <source>Say how long this line must last.</source>
        <translation>指定本行必须持续多久。</translation>
    </message>
    <message>
        <source>P&amp;ronunciation here</source>
        <translation>此处读音(&amp;R)</translation>
    </message>
    <message>
        <source>Say how the selected word is spoken, here only.</source>
        <translation>指定所选词的读法，仅限此处。</translation>
    </message>
    <message>
        <source>&amp;Speech</source>
        <translation>正文(&amp;S)</translation>
    </message>
    <message>
        <source>Turn these lines into spoken text.</source>
        <translation>将这些行变为朗读的正文。</translation>
    </message>
    <message>
        <source>&amp;Chapter heading</source>
        <translation>章标题(&amp;C)</translation>
    </message>
    <message>
        <source>Sc&amp;ene heading</source>
        <translation>场景标题(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Note</source>
        <translation>注释(&amp;N)</translation>
    </message>
    <message>
        <source>A note is never spoken.</source>
        <translation>注释永远不会被朗读。</translation>
    </message>
    <message>
        <source>Speak &amp;again</source>
        <translation>再读一遍(&amp;A)</translation>
    </message>
    <message>
        <source>Another take of these lines, with the next seed.</source>
        <translation>用下一个种子为这些行再录一条。</translation>
    </message>
    <message>
        <source>&amp;Three takes</source>
        <translation>录三条(&amp;T)</translation>
    </message>
    <message>
        <source>Three takes to choose from.</source>
        <translation>录三条供选择。</translation>
    </message>
    <message>
        <source>Speak the se&amp;lected sentences again</source>
        <translation>重读所选句子(&amp;L)</translation>
    </message>
    <message>
        <source>A take in which only these sentences are new; the rest stays as it is.</source>
        <translation>只重新朗读这些句子的新录音，其余保持不变。</translation>
    </message>
    <message>
        <source>N&amp;ext take</source>
        <translation>下一条(&amp;X)</translation>
    </message>
    <message>
        <source>Choose the next take of this line.</source>
        <translation>选择本行的下一条录音。</translation>
    </message>
    <message>
        <source>Pre&amp;vious take</source>
        <translation>上一条(&amp;V)</translation>
    </message>
    <message>
        <source>Choose the take before.</source>
        <translation>选择前一条录音。</translation>
    </message>
    <message>
        <source>&amp;Compare A/B</source>
        <translation>A/B 对比(&amp;C)</translation>
    </message>
    <message>
        <source>Go back and forth between the two takes heard last.</source>
        <translation>在最近听过的两条录音之间来回切换。</translation>
    </message>
    <message>
        <source>&amp;Delete this take</source>
        <translation>删除此条(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Lock</source>
        <translation>锁定(&amp;L)</translation>
    </message>
    <message>
        <source>A locked line keeps its take when others are made again.</source>
        <translation>重新生成其他行时，锁定的行保留其录音。</translation>
    </message>
    <message>
        <source>Next &amp;suspicious line</source>
        <translation>下一个可疑行(&amp;S)</translation>
    </message>
    <message>
        <source>Go to the next line whose take may be wrong.</source>
        <translation>转到录音可能有误的下一行。</translation>
    </message>
    <message>
        <source>Previous s&amp;uspicious line</source>
        <translation>上一个可疑行(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Play or pause</source>
        <translation>播放或暂停(&amp;P)</translation>
    </message>
    <message>
        <source>Speak from the caret.</source>
        <translation>从光标处开始朗读。</translation>
    </message>
    <message>
        <source>Play the &amp;selection</source>
        <translation>播放所选(&amp;S)</translation>
    </message>
    <message>
        <source>Play from the &amp;beginning</source>
        <translation>从头播放(&amp;B)</translation>
    </message>
    <message>
        <source>S&amp;top</source>
        <translation>停止(&amp;T)</translation>
    </message>
    <message>
        <source>Pre&amp;vious line</source>
        <translation>上一行(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Next line</source>
        <translation>下一行(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Loop</source>
        <translation>循环(&amp;L)</translation>
    </message>
    <message>
        <source>Play the selection round and round.</source>
        <translation>反复播放所选内容。</translation>
    </message>
    <message>
        <source>Play at the e&amp;xport’s loudness</source>
        <translation>按导出响度播放(&amp;X)</translation>
    </message>
    <message>
        <source>Hear the script with the gain and the limiter of the export.</source>
        <translation>用导出时的增益和限幅器试听脚本。</translation>
    </message>
    <message>
        <source>&amp;Record a voice…</source>
        <translation>录制声音(&amp;R)…</translation>
    </message>
    <message>
        <source>Make a voice with the microphone.</source>
        <translation>用麦克风创建声音。</translation>
    </message>
    <message>
        <source>&amp;Add a voice from a file…</source>
        <translation>从文件添加声音(&amp;A)…</translation>
    </message>
    <message>
        <source>A clip of a few seconds, without music or noise.</source>
        <translation>几秒钟的片段，不含音乐和噪声。</translation>
    </message>
    <message>
        <source>Make what is &amp;missing</source>
        <translation>生成缺少的部分(&amp;M)</translation>
    </message>
    <message>
        <source>Speak every line that has no take of its present text.</source>
        <translation>朗读所有没有当前文本录音的行。</translation>
    </message>
    <message>
        <source>Make the &amp;selection</source>
        <translation>生成所选(&amp;S)</translation>
    </message>
    <message>
        <source>Make this &amp;chapter</source>
        <translation>生成本章(&amp;C)</translation>
    </message>
    <message>
        <source>Pa&amp;use making</source>
        <translation>暂停生成(&amp;U)</translation>
    </message>
    <message>
        <source>Start nothing more that nobody listens to; what waits stays in the queue.</source>
        <translation>不再开始无人收听的内容；等待的内容留在队列中。</translation>
    </message>
    <message>
        <source>&amp;Stop making</source>
        <translation>停止生成(&amp;S)</translation>
    </message>
    <message>
        <source>Cancel everything that waits or is being spoken.</source>
        <translation>取消所有等待中和朗读中的内容。</translation>
    </message>
    <message>
        <source>&amp;Command palette…</source>
        <translation>命令面板(&amp;C)…</translation>
    </message>
    <message>
        <source>Every action by its name.</source>
        <translation>按名称查找所有操作。</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>深色(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>浅色(&amp;L)</translation>
    </message>
    <message>
        <source>As the &amp;system</source>
        <translation>跟随系统(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Larger text</source>
        <translation>放大文字(&amp;L)</translation>
    </message>
    <message>
        <source>S&amp;maller text</source>
        <translation>缩小文字(&amp;M)</translation>
    </message>
    <message>
        <source>Next &amp;region</source>
        <translation>下一区域(&amp;R)</translation>
    </message>
    <message>
        <source>Give the keyboard to the next part of the window.</source>
        <translation>将键盘焦点移到窗口的下一部分。</translation>
    </message>
    <message>
        <source>Previous region</source>
        <translation>上一区域</translation>
    </message>
    <message>
        <source>&amp;Full screen</source>
        <translation>全屏(&amp;F)</translation>
    </message>
    <message>
        <source>Reset the la&amp;yout</source>
        <translation>重置布局(&amp;Y)</translation>
    </message>
    <message>
        <source>&amp;Models…</source>
        <translation>模型(&amp;M)…</translation>
    </message>
    <message>
        <source>Choose, download and check models and speech servers.</source>
        <translation>选择、下载和检查模型与语音服务器。</translation>
    </message>
    <message>
        <source>&amp;Keyboard shortcuts…</source>
        <translation>键盘快捷键(&amp;K)…</translation>
    </message>
    <message>
        <source>&amp;About Moss Voice Studio</source>
        <translation>关于 Moss Voice Studio(&amp;A)</translation>
    </message>
</context>
<context>
    <name>BlockInfo</name>
    <message>
        <source>Empty line</source>
        <translation>空行</translation>
    </message>
    <message>
        <source>%1, not spoken</source>
        <translation>%1，不朗读</translation>
    </message>
    <message>
        <source>It lasts %1 s, %2 s too long. Shorten the text or give it more time.</source>
        <translation>它长 %1 秒，超出 %2 秒。请缩短文字或给更多时间。</translation>
    </message>
    <message>
        <source>It lasts %1 s, %2 s too short. Add a pause or ask for less time.</source>
        <translation>它长 %1 秒，短了 %2 秒。请添加停顿或要求更短的时间。</translation>
    </message>
    <message>
        <source>The text needs about %1 s: too much for %2 s. Shorten it or give it more time.</source>
        <translation>文本大约需要 %1 秒，%2 秒不够。请缩短文本或增加时间。</translation>
    </message>
    <message>
        <source>The text needs about %1 s: too little for %2 s. Add a pause or ask for less time.</source>
        <translation>文本大约需要 %1 秒，%2 秒太长。请加入停顿或减少时间。</translation>
    </message>
    <message>
        <source>missing voice</source>
        <translation>声音缺失</translation>
    </message>
    <message>
        <source>Model’s voice</source>
        <translation>模型自带声音</translation>
    </message>
</context>
<context>
    <name>BlockKind</name>
    <message>
        <source>Chapter</source>
        <translation>章</translation>
    </message>
    <message>
        <source>Scene</source>
        <translation>场景</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>注释</translation>
    </message>
</context>
<context>
    <name>BlockState</name>
    <message>
        <source>Not spoken yet</source>
        <translation>尚未朗读</translation>
    </message>
    <message>
        <source>Nothing to speak</source>
        <translation>没有可朗读的内容</translation>
    </message>
    <message>
        <source>Waiting to be spoken</source>
        <translation>等待朗读</translation>
    </message>
    <message>
        <source>Being spoken</source>
        <translation>正在朗读</translation>
    </message>
    <message>
        <source>Spoken</source>
        <translation>已朗读</translation>
    </message>
    <message>
        <source>Changed since it was spoken</source>
        <translation>朗读后已更改</translation>
    </message>
    <message>
        <source>May be wrong: listen to it</source>
        <translation>可能有误：请听一听</translation>
    </message>
    <message>
        <source>Could not be spoken</source>
        <translation>无法朗读</translation>
    </message>
    <message>
        <source>Locked</source>
        <translation>已锁定</translation>
    </message>
</context>
<context>
    <name>Choice</name>
    <message>
        <source>Several values</source>
        <translation>多个值</translation>
    </message>
    <message>
        <source>Missing: choose another</source>
        <translation>缺失：请另选</translation>
    </message>
</context>
<context>
    <name>ClipView</name>
    <message>
        <source>Part of the clip that counts</source>
        <translation>片段中有效的部分</translation>
    </message>
    <message>
        <source>from %1 to %2</source>
        <translation>从 %1 到 %2</translation>
    </message>
    <message>
        <source>Reading the clip…</source>
        <translation>正在读取片段…</translation>
    </message>
</context>
<context>
    <name>Conditions</name>
    <message>
        <source>Not ready yet.</source>
        <translation>尚未就绪。</translation>
    </message>
    <message>
        <source>Open a project first.</source>
        <translation>请先打开项目。</translation>
    </message>
    <message>
        <source>Write something first.</source>
        <translation>请先写点内容。</translation>
    </message>
    <message>
        <source>Put the caret into a line first.</source>
        <translation>请先将光标放入某一行。</translation>
    </message>
    <message>
        <source>The model is still loading.</source>
        <translation>模型仍在加载。</translation>
    </message>
    <message>
        <source>This line has no take yet.</source>
        <translation>本行还没有录音。</translation>
    </message>
    <message>
        <source>Comparing needs two takes of a line.</source>
        <translation>对比需要一行有两条录音。</translation>
    </message>
    <message>
        <source>There is nothing to undo.</source>
        <translation>没有可撤销的操作。</translation>
    </message>
    <message>
        <source>There is nothing to redo.</source>
        <translation>没有可重做的操作。</translation>
    </message>
    <message>
        <source>Select some text first.</source>
        <translation>请先选择一些文本。</translation>
    </message>
    <message>
        <source>Sound is not ready yet.</source>
        <translation>声音尚未就绪。</translation>
    </message>
    <message>
        <source>Nothing is being played.</source>
        <translation>没有正在播放的内容。</translation>
    </message>
    <message>
        <source>Nothing is being made.</source>
        <translation>当前没有正在生成的内容。</translation>
    </message>
</context>
<context>
    <name>ConsentPanel</name>
    <message>
        <source>Whose voice is it?</source>
        <translation>这是谁的声音？</translation>
    </message>
    <message>
        <source>My own voice</source>
        <translation>我自己的声音</translation>
    </message>
    <message>
        <source>The speaker agreed to it</source>
        <translation>说话人已同意</translation>
    </message>
    <message>
        <source>Published for such use</source>
        <translation>为此用途公开发布</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>以后再说</translation>
    </message>
    <message>
        <source>Keep the answer</source>
        <translation>保存回答</translation>
    </message>
    <message>
        <source>Whose voice is “%1”? Only clone a voice you may use.</source>
        <translation>“%1”是谁的声音？只克隆您有权使用的声音。</translation>
    </message>
    <message>
        <source>Whose voices are these %1? Only clone voices you may use.</source>
        <translation>这 %1 个是谁的声音？只克隆您有权使用的声音。</translation>
    </message>
</context>
<context>
    <name>DaysChart</name>
    <message>
        <source>Speech by day</source>
        <translation>每日语音</translation>
    </message>
    <message>
        <source>%1: %2 of speech, %3 spoken, %4 failed, %5 suspicious</source>
        <translation>%1：%2 的语音，已朗读 %3，失败 %4，可疑 %5</translation>
    </message>
    <message>
        <source>, %1 × real time</source>
        <translation>，%1 × 实时</translation>
    </message>
    <message>
        <source>Nothing was spoken yet.</source>
        <translation>还没有朗读过任何内容。</translation>
    </message>
</context>
<context>
    <name>DirectionSection</name>
    <message>
        <source>Direction</source>
        <translation>表演</translation>
    </message>
    <message>
        <source>Instruction</source>
        <translation>指示</translation>
    </message>
    <message>
        <source>Gain</source>
        <translation>增益</translation>
    </message>
    <message>
        <source> dB</source>
        <translation> dB</translation>
    </message>
    <message>
        <source>How to say it: warm, whispered, in a hurry…</source>
        <translation>怎样说：温暖、耳语、匆忙……</translation>
    </message>
    <message>
        <source>%1 does not follow instructions.</source>
        <translation>%1 不支持指示。</translation>
    </message>
</context>
<context>
    <name>DoctorPage</name>
    <message>
        <source>What was found</source>
        <translation>检查结果</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>重新检查</translation>
    </message>
    <message>
        <source>Copy the report</source>
        <translation>复制报告</translation>
    </message>
    <message>
        <source>Without names and folders of yours.</source>
        <translation>不含您的姓名和文件夹。</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>正在检查…</translation>
    </message>
    <message>
        <source>Looking at this machine</source>
        <translation>正在检查这台电脑</translation>
    </message>
    <message>
        <source>good</source>
        <translation>良好</translation>
    </message>
    <message>
        <source>a limit</source>
        <translation>有限制</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>缺失</translation>
    </message>
    <message>
        <source>Everything that is needed is there.</source>
        <translation>所需的一切都已具备。</translation>
    </message>
    <message>
        <source>1 thing is missing.</source>
        <translation>缺少 1 项。</translation>
    </message>
    <message>
        <source>%1 things are missing.</source>
        <translation>缺少 %1 项。</translation>
    </message>
    <message>
        <source>The report is on the clipboard.</source>
        <translation>报告已复制到剪贴板。</translation>
    </message>
</context>
<context>
    <name>DownloadDialog</name>
    <message>
        <source>%1 will be fetched from %2. Licence: %3.</source>
        <translation>将从 %2 下载 %1。许可：%3。</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>%1 are free on that disk.</source>
        <translation>该磁盘有 %1 可用空间。</translation>
    </message>
    <message>
        <source>Only %1 are free on that disk: choose another.</source>
        <translation>该磁盘只有 %1 可用空间：请另选一个。</translation>
    </message>
</context>
<context>
    <name>DownloadFolder</name>
    <message>
        <source>Folder for downloads</source>
        <translation>下载文件夹</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Choose a folder for downloads</source>
        <translation>选择下载文件夹</translation>
    </message>
</context>
<context>
    <name>DropHint</name>
    <message>
        <source>Looking at the clips…</source>
        <translation>正在检查片段…</translation>
    </message>
</context>
<context>
    <name>EngineLoader</name>
    <message>
        <source>Starting</source>
        <translation>正在启动</translation>
    </message>
</context>
<context>
    <name>ExportChoices</name>
    <message>
        <source>24 bit, 48 kHz</source>
        <translation>24 位，48 kHz</translation>
    </message>
    <message>
        <source>16 bit, 44.1 kHz</source>
        <translation>16 位，44.1 kHz</translation>
    </message>
    <message>
        <source>32 bit float, 48 kHz</source>
        <translation>32 位浮点，48 kHz</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>质量</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>One file</source>
        <translation>一个文件</translation>
    </message>
    <message>
        <source>One a chapter</source>
        <translation>每章一个</translation>
    </message>
    <message>
        <source>One a line</source>
        <translation>每行一个</translation>
    </message>
    <message>
        <source>One a voice</source>
        <translation>每个声音一个</translation>
    </message>
    <message>
        <source>Loudness</source>
        <translation>响度</translation>
    </message>
    <message>
        <source>podcast</source>
        <translation>播客</translation>
    </message>
    <message>
        <source>streaming</source>
        <translation>流媒体</translation>
    </message>
    <message>
        <source>broadcast</source>
        <translation>广播</translation>
    </message>
    <message>
        <source>mono podcast</source>
        <translation>单声道播客</translation>
    </message>
    <message>
        <source>As it is</source>
        <translation>保持原样</translation>
    </message>
    <message>
        <source>ACX audiobook</source>
        <translation>ACX 有声书</translation>
    </message>
    <message>
        <source>Subtitles as SRT</source>
        <translation>SRT 字幕</translation>
    </message>
    <message>
        <source>Subtitles as WebVTT</source>
        <translation>WebVTT 字幕</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>Author</source>
        <translation>作者</translation>
    </message>
    <message>
        <source>Where to</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Leave out lines that cannot be made</source>
        <translation>跳过无法生成的行</translation>
    </message>
    <message>
        <source>Subtitles</source>
        <translation>字幕</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>未命名</translation>
    </message>
    <message>
        <source>Export as</source>
        <translation>导出为</translation>
    </message>
    <message>
        <source>Folder for the files</source>
        <translation>文件所在文件夹</translation>
    </message>
    <message>
        <source>%1 is there already. Exporting replaces it.</source>
        <translation>%1 已存在，导出时会替换它。</translation>
    </message>
</context>
<context>
    <name>ExportDialog</name>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>返回</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>You can go on writing. What you change now is not in this export.</source>
        <translation>您可以继续写作。现在所做的更改不在此次导出中。</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在开始…</translation>
    </message>
    <message>
        <source>Speaking what is missing…</source>
        <translation>正在朗读缺少的部分…</translation>
    </message>
    <message>
        <source>Measuring loudness…</source>
        <translation>正在测量响度…</translation>
    </message>
    <message>
        <source>Writing…</source>
        <translation>正在写入…</translation>
    </message>
    <message>
        <source>Checking what was written…</source>
        <translation>正在检查已写入的内容…</translation>
    </message>
    <message>
        <source>About %1 left</source>
        <translation>大约还需 %1</translation>
    </message>
    <message>
        <source>and %1 more files</source>
        <translation>以及另外 %1 个文件</translation>
    </message>
    <message>
        <source>and 1 more file</source>
        <translation>以及另外 1 个文件</translation>
    </message>
    <message>
        <source>Left out: %1 lines</source>
        <translation>跳过：%1 行</translation>
    </message>
    <message>
        <source>Left out: 1 line</source>
        <translation>跳过：1 行</translation>
    </message>
    <message>
        <source>Listen to 1 line:</source>
        <translation>请试听 1 行：</translation>
    </message>
    <message>
        <source>Listen to %1 lines:</source>
        <translation>请试听 %1 行：</translation>
    </message>
    <message>
        <source>1 file is written.</source>
        <translation>已写入 1 个文件。</translation>
    </message>
    <message>
        <source>%1 files are written.</source>
        <translation>已写入 %1 个文件。</translation>
    </message>
    <message>
        <source>Export finished: %1</source>
        <translation>导出完成：%1</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>以及另外 %1 个</translation>
    </message>
    <message>
        <source>Nothing was written: these lines are not ready. Make them, or choose to leave them out.</source>
        <translation>没有写入任何内容：这些行尚未就绪。请生成它们，或选择跳过。</translation>
    </message>
    <message>
        <source>Nothing was written.</source>
        <translation>没有写入任何内容。</translation>
    </message>
    <message>
        <source>The whole script</source>
        <translation>整个文稿</translation>
    </message>
    <message>
        <source>%1 lines</source>
        <translation>%1 行</translation>
    </message>
    <message>
        <source>1 line</source>
        <translation>1 行</translation>
    </message>
    <message>
        <source>%1 lines are spoken first.</source>
        <translation>先朗读 %1 行。</translation>
    </message>
    <message>
        <source>1 line is spoken first.</source>
        <translation>先朗读 1 行。</translation>
    </message>
    <message>
        <source>1 line is not spoken yet, and no model is loaded.</source>
        <translation>还有 1 行未朗读，且没有加载模型。</translation>
    </message>
    <message>
        <source>%1 lines are not spoken yet, and no model is loaded.</source>
        <translation>还有 %1 行未朗读，且没有加载模型。</translation>
    </message>
    <message>
        <source>Everything is spoken.</source>
        <translation>全部已朗读。</translation>
    </message>
    <message>
        <source>1 line that a server streamed in mono is spoken again in stereo first.</source>
        <translation>有 1 行是服务器以单声道流式传来的，会先以立体声重新朗读。</translation>
    </message>
    <message>
        <source>%1 lines that a server streamed in mono are spoken again in stereo first.</source>
        <translation>有 %1 行是服务器以单声道流式传来的，会先以立体声重新朗读。</translation>
    </message>
    <message>
        <source>1 line is in mono, as a server streamed it.</source>
        <translation>有 1 行是单声道，因为服务器是这样流式传来的。</translation>
    </message>
    <message>
        <source>%1 lines are in mono, as a server streamed them.</source>
        <translation>有 %1 行是单声道，因为服务器是这样流式传来的。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>line %1 “%2”: %3</source>
        <translation>第 %1 行“%2”：%3</translation>
    </message>
</context>
<context>
    <name>ExportLoudness</name>
    <message>
        <source>Measuring loudness</source>
        <translation>正在测量响度</translation>
    </message>
</context>
<context>
    <name>FindBar</name>
    <message>
        <source>Find in the script</source>
        <translation>在文稿中查找</translation>
    </message>
    <message>
        <source>Replace by</source>
        <translation>替换为</translation>
    </message>
    <message>
        <source>Match case</source>
        <translation>区分大小写</translation>
    </message>
    <message>
        <source>Whole words</source>
        <translation>全字匹配</translation>
    </message>
    <message>
        <source>Regular expression</source>
        <translation>正则表达式</translation>
    </message>
    <message>
        <source>Previous match</source>
        <translation>上一个匹配</translation>
    </message>
    <message>
        <source>Next match</source>
        <translation>下一个匹配</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Replace</source>
        <translation>替换</translation>
    </message>
    <message>
        <source>Replace all</source>
        <translation>全部替换</translation>
    </message>
    <message>
        <source>%1 replaced in %2 lines.</source>
        <translation>在 %2 行中替换了 %1 处。</translation>
    </message>
    <message>
        <source>%1 replaced in 1 line.</source>
        <translation>已在 1 行中替换 %1 处。</translation>
    </message>
    <message>
        <source>The replacement is not a valid pattern: %1</source>
        <translation>替换内容不是有效的表达式：%1</translation>
    </message>
    <message>
        <source>Not a valid pattern: %1</source>
        <translation>不是有效的表达式：%1</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>没有找到</translation>
    </message>
    <message>
        <source>%1 found</source>
        <translation>找到 %1 处</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>第 %1 处，共 %2 处</translation>
    </message>
</context>
<context>
    <name>Gutter</name>
    <message>
        <source>Lines of the script</source>
        <translation>文稿的行</translation>
    </message>
    <message>
        <source>Voice, length and state of every line</source>
        <translation>每一行的声音、时长和状态</translation>
    </message>
    <message>
        <source>note</source>
        <translation>注释</translation>
    </message>
    <message>
        <source>silent</source>
        <translation>静默</translation>
    </message>
</context>
<context>
    <name>Heading</name>
    <message>
        <source>Locked</source>
        <translation>已锁定</translation>
    </message>
    <message>
        <source>A locked line keeps its take when others are made again.</source>
        <translation>重新生成其他行时，锁定的行保留其录音。</translation>
    </message>
    <message>
        <source>%1 lines</source>
        <translation>%1 行</translation>
    </message>
    <message>
        <source>%1 of %2 are spoken</source>
        <translation>%2 行中已朗读 %1 行</translation>
    </message>
    <message>
        <source>Line %1</source>
        <translation>第 %1 行</translation>
    </message>
</context>
<context>
    <name>HubSettings</name>
    <message>
        <source>Downloads</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Mirror of the hub</source>
        <translation>模型库镜像</translation>
    </message>
    <message>
        <source>HF_ENDPOINT, else the hub itself</source>
        <translation>HF_ENDPOINT，否则为模型库本身</translation>
    </message>
    <message>
        <source>Mirror</source>
        <translation>镜像</translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation>代理</translation>
    </message>
    <message>
        <source>As the system has it</source>
        <translation>与系统相同</translation>
    </message>
    <message>
        <source>Stay offline: download nothing</source>
        <translation>保持离线：不下载任何内容</translation>
    </message>
    <message>
        <source>The setting could not be kept: %1</source>
        <translation>无法保存设置：%1</translation>
    </message>
    <message>
        <source>%1 free there. Models that are downloaded already stay where they are; what has come of an unfinished download moves when it goes on.</source>
        <translation>该处可用空间 %1。已下载的模型留在原处；未完成的下载在继续时会移过去。</translation>
    </message>
</context>
<context>
    <name>ImportDialog</name>
    <message>
        <source>Import %1</source>
        <translation>导入 %1</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>正在读取</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>%1 lines</source>
        <translation>%1 行</translation>
    </message>
    <message>
        <source>1 line</source>
        <translation>1 行</translation>
    </message>
    <message>
        <source>%1 words</source>
        <translation>%1 个词</translation>
    </message>
    <message>
        <source>1 word</source>
        <translation>1 个词</translation>
    </message>
    <message>
        <source>about %1 of speech</source>
        <translation>约 %1 的语音</translation>
    </message>
    <message>
        <source>1 chapter</source>
        <translation>1 章</translation>
    </message>
    <message>
        <source>%1 chapters</source>
        <translation>%1 章</translation>
    </message>
    <message>
        <source>Left out: %1.</source>
        <translation>未导入：%1。</translation>
    </message>
    <message>
        <source>… and %1 more lines</source>
        <translation>……以及另外 %1 行</translation>
    </message>
    <message>
        <source>… and 1 more line</source>
        <translation>……还有 1 行</translation>
    </message>
    <message>
        <source>The text to be imported</source>
        <translation>要导入的文本</translation>
    </message>
    <message>
        <source>Speakers: give each a voice, or keep the name in the text.</source>
        <translation>说话人：为每人选择声音，或在文本中保留名字。</translation>
    </message>
    <message>
        <source>Keep the name in the text</source>
        <translation>在文本中保留名字</translation>
    </message>
    <message>
        <source>Voice of %1</source>
        <translation>%1 的声音</translation>
    </message>
    <message>
        <source>Into this project, at its end</source>
        <translation>放到本项目末尾</translation>
    </message>
    <message>
        <source>Instead of this project’s text</source>
        <translation>替换本项目的文本</translation>
    </message>
    <message>
        <source>Into a new project</source>
        <translation>放入新项目</translation>
    </message>
    <message>
        <source>1 line imported. Undo takes it out again.</source>
        <translation>已导入 1 行。撤销可将其移除。</translation>
    </message>
    <message>
        <source>%1 lines imported. Undo takes them out again.</source>
        <translation>已导入 %1 行。撤销可将其移除。</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 分钟</translation>
    </message>
    <message>
        <source>%1 h %2 min</source>
        <translation>%1 小时 %2 分钟</translation>
    </message>
</context>
<context>
    <name>Inspector</name>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
    <message>
        <source>Nothing selected</source>
        <translation>未选择任何内容</translation>
    </message>
    <message>
        <source>Put the caret into a line, or click beside it, to see how it is spoken.</source>
        <translation>将光标放入某一行，或点击其旁边，即可查看朗读方式。</translation>
    </message>
</context>
<context>
    <name>Keeping</name>
    <message>
        <source>All changes are in %1.</source>
        <translation>所有更改都在 %1 中。</translation>
    </message>
    <message>
        <source>Saving %1</source>
        <translation>正在保存 %1</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>未命名</translation>
    </message>
    <message>
        <source>Save the project as</source>
        <translation>项目另存为</translation>
    </message>
    <message>
        <source>Saved as %1.</source>
        <translation>已保存为 %1。</translation>
    </message>
    <message>
        <source>The project takes %1 MB now; it took %2 MB.</source>
        <translation>项目现在占用 %1 MB，之前为 %2 MB。</translation>
    </message>
    <message>
        <source>Compacting %1</source>
        <translation>正在压缩 %1</translation>
    </message>
    <message>
        <source>Saving works again; everything is kept.</source>
        <translation>保存恢复正常；所有内容都已保留。</translation>
    </message>
</context>
<context>
    <name>Languages</name>
    <message>
        <source>Chinese</source>
        <translation>中文</translation>
    </message>
    <message>
        <source>Cantonese</source>
        <translation>粤语</translation>
    </message>
    <message>
        <source>English</source>
        <translation>英语</translation>
    </message>
    <message>
        <source>Arabic</source>
        <translation>阿拉伯语</translation>
    </message>
    <message>
        <source>Czech</source>
        <translation>捷克语</translation>
    </message>
    <message>
        <source>Danish</source>
        <translation>丹麦语</translation>
    </message>
    <message>
        <source>Dutch</source>
        <translation>荷兰语</translation>
    </message>
    <message>
        <source>Finnish</source>
        <translation>芬兰语</translation>
    </message>
    <message>
        <source>French</source>
        <translation>法语</translation>
    </message>
    <message>
        <source>German</source>
        <translation>德语</translation>
    </message>
    <message>
        <source>Greek</source>
        <translation>希腊语</translation>
    </message>
    <message>
        <source>Hebrew</source>
        <translation>希伯来语</translation>
    </message>
    <message>
        <source>Hindi</source>
        <translation>印地语</translation>
    </message>
    <message>
        <source>Hungarian</source>
        <translation>匈牙利语</translation>
    </message>
    <message>
        <source>Italian</source>
        <translation>意大利语</translation>
    </message>
    <message>
        <source>Japanese</source>
        <translation>日语</translation>
    </message>
    <message>
        <source>Korean</source>
        <translation>韩语</translation>
    </message>
    <message>
        <source>Macedonian</source>
        <translation>马其顿语</translation>
    </message>
    <message>
        <source>Malay</source>
        <translation>马来语</translation>
    </message>
    <message>
        <source>Persian (Farsi)</source>
        <translation>波斯语</translation>
    </message>
    <message>
        <source>Polish</source>
        <translation>波兰语</translation>
    </message>
    <message>
        <source>Portuguese</source>
        <translation>葡萄牙语</translation>
    </message>
    <message>
        <source>Romanian</source>
        <translation>罗马尼亚语</translation>
    </message>
    <message>
        <source>Russian</source>
        <translation>俄语</translation>
    </message>
    <message>
        <source>Spanish</source>
        <translation>西班牙语</translation>
    </message>
    <message>
        <source>Swahili</source>
        <translation>斯瓦希里语</translation>
    </message>
    <message>
        <source>Swedish</source>
        <translation>瑞典语</translation>
    </message>
    <message>
        <source>Tagalog</source>
        <translation>他加禄语</translation>
    </message>
    <message>
        <source>Thai</source>
        <translation>泰语</translation>
    </message>
    <message>
        <source>Turkish</source>
        <translation>土耳其语</translation>
    </message>
    <message>
        <source>Vietnamese</source>
        <translation>越南语</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
</context>
<context>
    <name>Leaving</name>
    <message>
        <source>Changes are not saved</source>
        <translation>更改未保存</translation>
    </message>
    <message>
        <source>%1 is open read-only, so your changes are not in it.</source>
        <translation>%1 以只读方式打开，您的更改不在其中。</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>1 line is still being made.</source>
        <translation>还有 1 行正在生成。</translation>
    </message>
    <message>
        <source>%1 lines are still being made.</source>
        <translation>还有 %1 行正在生成。</translation>
    </message>
    <message>
        <source>What is finished stays. Unfinished lines have to be made again.</source>
        <translation>已完成的会保留。未完成的行需要重新生成。</translation>
    </message>
    <message>
        <source>Stay</source>
        <translation>留下</translation>
    </message>
    <message>
        <source>Quit anyway? The last changes are kept beside it and offered at the next start.</source>
        <translation>仍要退出吗？最后的更改会保存在旁边，并在下次启动时提供。</translation>
    </message>
    <message>
        <source>Quit anyway and lose the last changes?</source>
        <translation>仍要退出并丢失最后的更改吗？</translation>
    </message>
    <message>
        <source>The last changes to %1 could not be saved in it; they are kept: File, %2.</source>
        <translation>对 %1 的最后更改未能保存在其中，但已保留：文件，%2。</translation>
    </message>
    <message>
        <source>Saving %1</source>
        <translation>正在保存 %1</translation>
    </message>
</context>
<context>
    <name>LeftOut</name>
    <message>
        <source>1 picture</source>
        <translation>1 张图片</translation>
    </message>
    <message>
        <source>%1 pictures</source>
        <translation>%1 张图片</translation>
    </message>
    <message>
        <source>1 table</source>
        <translation>1 个表格</translation>
    </message>
    <message>
        <source>%1 tables</source>
        <translation>%1 个表格</translation>
    </message>
    <message>
        <source>1 footnote</source>
        <translation>1 条脚注</translation>
    </message>
    <message>
        <source>%1 footnotes</source>
        <translation>%1 条脚注</translation>
    </message>
    <message>
        <source>1 endnote</source>
        <translation>1 条尾注</translation>
    </message>
    <message>
        <source>%1 endnotes</source>
        <translation>%1 条尾注</translation>
    </message>
    <message>
        <source>1 comment</source>
        <translation>1 条批注</translation>
    </message>
    <message>
        <source>%1 comments</source>
        <translation>%1 条批注</translation>
    </message>
    <message>
        <source>1 footnote mark</source>
        <translation>1 个脚注标记</translation>
    </message>
    <message>
        <source>%1 footnote marks</source>
        <translation>%1 个脚注标记</translation>
    </message>
    <message>
        <source>1 deleted passage</source>
        <translation>1 处已删除的内容</translation>
    </message>
    <message>
        <source>%1 deleted passages</source>
        <translation>%1 处已删除的内容</translation>
    </message>
    <message>
        <source>1 hidden passage</source>
        <translation>1 处隐藏的内容</translation>
    </message>
    <message>
        <source>%1 hidden passages</source>
        <translation>%1 处隐藏的内容</translation>
    </message>
    <message>
        <source>1 text box</source>
        <translation>1 个文本框</translation>
    </message>
    <message>
        <source>%1 text boxes</source>
        <translation>%1 个文本框</translation>
    </message>
    <message>
        <source>1 formula</source>
        <translation>1 个公式</translation>
    </message>
    <message>
        <source>%1 formulas</source>
        <translation>%1 个公式</translation>
    </message>
    <message>
        <source>1 ornamental line</source>
        <translation>1 行装饰</translation>
    </message>
    <message>
        <source>%1 ornamental lines</source>
        <translation>%1 行装饰</translation>
    </message>
    <message>
        <source>1 block of code</source>
        <translation>1 个代码块</translation>
    </message>
    <message>
        <source>%1 blocks of code</source>
        <translation>%1 个代码块</translation>
    </message>
    <message>
        <source>1 block of HTML</source>
        <translation>1 个 HTML 块</translation>
    </message>
    <message>
        <source>%1 blocks of HTML</source>
        <translation>%1 个 HTML 块</translation>
    </message>
    <message>
        <source>1 note or style</source>
        <translation>1 处注释或样式</translation>
    </message>
    <message>
        <source>%1 notes and styles</source>
        <translation>%1 处注释或样式</translation>
    </message>
    <message>
        <source>1 sound or song</source>
        <translation>1 处声音或歌曲</translation>
    </message>
    <message>
        <source>%1 sounds and songs</source>
        <translation>%1 处声音或歌曲</translation>
    </message>
    <message>
        <source>1 cue without a length</source>
        <translation>1 条没有时长的字幕</translation>
    </message>
    <message>
        <source>%1 cues without a length</source>
        <translation>%1 条没有时长的字幕</translation>
    </message>
    <message>
        <source>1 page outside the reading order</source>
        <translation>1 个不在阅读顺序中的页面</translation>
    </message>
    <message>
        <source>%1 pages outside the reading order</source>
        <translation>%1 个不在阅读顺序中的页面</translation>
    </message>
    <message>
        <source>the table of contents</source>
        <translation>目录</translation>
    </message>
    <message>
        <source>the index</source>
        <translation>索引</translation>
    </message>
    <message>
        <source>the cover</source>
        <translation>封面</translation>
    </message>
    <message>
        <source>the copyright page</source>
        <translation>版权页</translation>
    </message>
    <message>
        <source>headers and footers</source>
        <translation>页眉和页脚</translation>
    </message>
    <message>
        <source>the Project Gutenberg licence</source>
        <translation>古登堡计划的许可文本</translation>
    </message>
    <message>
        <source>the block of properties at the top</source>
        <translation>开头的属性块</translation>
    </message>
    <message>
        <source>a damaged passage</source>
        <translation>一处损坏的内容</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
</context>
<context>
    <name>LengthSection</name>
    <message>
        <source>Length</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>Natural</source>
        <translation>自然</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>贴合</translation>
    </message>
    <message>
        <source>As long as the voice takes.</source>
        <translation>由声音决定时长。</translation>
    </message>
    <message>
        <source>Exactly this long: what is left over is stretched by at most 8 %, with the pitch kept.</source>
        <translation>恰好这么长：余下的部分最多伸缩 8%，音高不变。</translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation>秒数</translation>
    </message>
    <message>
        <source> s</source>
        <translation> 秒</translation>
    </message>
    <message>
        <source>%1 does not follow a length; a fit stretches by at most 8 %.</source>
        <translation>%1 不支持指定时长；贴合最多伸缩 8%。</translation>
    </message>
    <message>
        <source>The voice aims at this length.</source>
        <translation>声音会尽量达到此时长。</translation>
    </message>
    <message>
        <source>each its own</source>
        <translation>各自不同</translation>
    </message>
    <message>
        <source>about %1 s</source>
        <translation>约 %1 秒</translation>
    </message>
    <message>
        <source> (%1 lines)</source>
        <translation>（%1 行）</translation>
    </message>
</context>
<context>
    <name>LexiconDialog</name>
    <message>
        <source>Pronunciations</source>
        <translation>读音</translation>
    </message>
    <message>
        <source>Whole words of this project, and what the voice reads instead. Only lines with such a word have to be spoken again.</source>
        <translation>本项目中的完整词语，以及声音的实际读法。只有含这些词的行需要重新朗读。</translation>
    </message>
    <message>
        <source>Search pronunciations</source>
        <translation>搜索读音</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>写法</translation>
    </message>
    <message>
        <source>Spoken</source>
        <translation>已朗读</translation>
    </message>
    <message>
        <source>In lines</source>
        <translation>所在行数</translation>
    </message>
    <message>
        <source>No pronunciations yet</source>
        <translation>还没有读音</translation>
    </message>
    <message>
        <source>Add a name the voice gets wrong, and write it as it sounds: Leif, layf.</source>
        <translation>添加读错的名字，并按读音书写：Leif，layf。</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>No word yet</source>
        <translation>还没有词语</translation>
    </message>
    <message>
        <source>No pronunciation yet</source>
        <translation>还没有读音</translation>
    </message>
    <message>
        <source>In no line</source>
        <translation>不在任何行中</translation>
    </message>
    <message>
        <source>Both columns are needed before an entry counts.</source>
        <translation>两列都填写后条目才生效。</translation>
    </message>
</context>
<context>
    <name>Menus</name>
    <message>
        <source>View</source>
        <translation>视图</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Insert</source>
        <translation>插入(&amp;I)</translation>
    </message>
    <message>
        <source>&amp;Takes</source>
        <translation>录音(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Play</source>
        <translation>播放(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>打开最近的项目(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Panels</source>
        <translation>面板(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Appearance</source>
        <translation>外观(&amp;A)</translation>
    </message>
</context>
<context>
    <name>Messages</name>
    <message>
        <source>%1 s is longer than the %2 s this model takes.</source>
        <translation>%1 秒超过了该模型可用的 %2 秒。</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>正在启动</translation>
    </message>
    <message>
        <source>Loading the language model</source>
        <translation>加载语言模型</translation>
    </message>
    <message>
        <source>Loading the codec</source>
        <translation>加载编解码器</translation>
    </message>
    <message>
        <source>Preparing the kernels</source>
        <translation>准备计算内核</translation>
    </message>
    <message>
        <source>Compiling the kernels</source>
        <translation>编译计算内核</translation>
    </message>
    <message>
        <source>Trying the kernels</source>
        <translation>试运行计算内核</translation>
    </message>
    <message>
        <source>Speech at %1 dBFS</source>
        <translation>语音电平 %1 dBFS</translation>
    </message>
    <message>
        <source>Badly clipped: %1 % of it. Rounding the peaks helps a little; recording again more.</source>
        <translation>削波严重：占 %1 %。修圆峰值略有帮助，重新录制更好。</translation>
    </message>
    <message>
        <source>Cut silence at the ends.</source>
        <translation>剪去两端的静音。</translation>
    </message>
    <message>
        <source>Speech %1 % of the time</source>
        <translation>语音占 %1 % 的时间</translation>
    </message>
    <message>
        <source>Silence at the ends was cut.</source>
        <translation>已剪去两端的静音。</translation>
    </message>
    <message>
        <source>It was cut to %1 s, at a pause.</source>
        <translation>已在停顿处剪短到 %1 秒。</translation>
    </message>
    <message>
        <source>The level was changed by %1 dB.</source>
        <translation>电平已调整 %1 dB。</translation>
    </message>
    <message>
        <source>%1 s is too short. Use 6 to 20 s of one person speaking.</source>
        <translation>%1 秒太短。请使用一个人说话 6 到 20 秒的片段。</translation>
    </message>
    <message>
        <source>Cut it at a pause.</source>
        <translation>在停顿处剪短。</translation>
    </message>
    <message>
        <source>%1 s is short; 6 to 20 s give a steadier voice.</source>
        <translation>%1 秒偏短；6 到 20 秒的声音更稳定。</translation>
    </message>
    <message>
        <source>The clip is silent.</source>
        <translation>片段没有声音。</translation>
    </message>
    <message>
        <source>Very quiet: speech is at %1 dBFS.</source>
        <translation>音量很小：语音电平为 %1 dBFS。</translation>
    </message>
    <message>
        <source>Raise the level.</source>
        <translation>提高电平。</translation>
    </message>
    <message>
        <source>Very loud: speech is at %1 dBFS.</source>
        <translation>音量很大：语音电平为 %1 dBFS。</translation>
    </message>
    <message>
        <source>Lower the level.</source>
        <translation>降低电平。</translation>
    </message>
    <message>
        <source>Round the clipped peaks.</source>
        <translation>修圆削波的峰值。</translation>
    </message>
    <message>
        <source>Some peaks are clipped.</source>
        <translation>部分峰值被削波。</translation>
    </message>
    <message>
        <source>There is no pause in which noise could be measured.</source>
        <translation>没有可以测量噪声的停顿。</translation>
    </message>
    <message>
        <source>Noisy: only %1 dB between speech and background. Record in a quieter room.</source>
        <translation>噪声大：语音与背景仅相差 %1 dB。请在更安静的房间录制。</translation>
    </message>
    <message>
        <source>Some background noise: %1 dB below speech.</source>
        <translation>有一些背景噪声：比语音低 %1 dB。</translation>
    </message>
    <message>
        <source>Quiet background, %1 dB below speech</source>
        <translation>背景安静，比语音低 %1 dB</translation>
    </message>
    <message>
        <source>No background noise</source>
        <translation>没有背景噪声</translation>
    </message>
    <message>
        <source>Not clipped</source>
        <translation>没有削波</translation>
    </message>
    <message>
        <source>Hardly any speech: %1 % of the time.</source>
        <translation>几乎没有语音：只占 %1 % 的时间。</translation>
    </message>
    <message>
        <source>Speech is %1 % of the clip.</source>
        <translation>语音占片段的 %1 %。</translation>
    </message>
    <message>
        <source>Clipped peaks were rounded.</source>
        <translation>已修圆削波的峰值。</translation>
    </message>
    <message>
        <source>%1 has only %2 s of sound.</source>
        <translation>%1 只有 %2 秒的声音。</translation>
    </message>
    <message>
        <source>%1 is silent.</source>
        <translation>%1 没有声音。</translation>
    </message>
    <message>
        <source>Check the recording level, or choose another clip.</source>
        <translation>请检查录音电平，或选择其他片段。</translation>
    </message>
    <message>
        <source>A voice needs at least 0.5 s; 5 to 20 s are best.</source>
        <translation>声音至少需要 0.5 秒；5 到 20 秒最佳。</translation>
    </message>
    <message>
        <source>%1 is %2 s long; at most %3 s can be used.</source>
        <translation>%1 长 %2 秒；最多可用 %3 秒。</translation>
    </message>
    <message>
        <source>Choose a part of 5 to 20 s of it.</source>
        <translation>请选取其中 5 到 20 秒。</translation>
    </message>
    <message>
        <source>The clip is empty.</source>
        <translation>片段是空的。</translation>
    </message>
    <message>
        <source>Choose another clip, or another part of it.</source>
        <translation>请选择其他片段，或其中的其他部分。</translation>
    </message>
    <message>
        <source>The clip is damaged: it holds values that are no numbers.</source>
        <translation>片段已损坏：其中含有非数值。</translation>
    </message>
    <message>
        <source>Record it again.</source>
        <translation>请重新录制。</translation>
    </message>
    <message>
        <source>%1 was off centre (a constant offset); that was taken away.</source>
        <translation>%1 有直流偏移，已去除。</translation>
    </message>
    <message>
        <source>%1 is too quiet to hear a voice in it.</source>
        <translation>%1 音量太小，听不到人声。</translation>
    </message>
    <message>
        <source>Record it again, nearer to the microphone.</source>
        <translation>请靠近麦克风重新录制。</translation>
    </message>
    <message>
        <source>%1 s of silence at the ends of %2 were left out.</source>
        <translation>已略去 %2 两端 %1 秒的静音。</translation>
    </message>
    <message>
        <source>%1 is clipped; the voice may sound harsh. Record it at a lower level.</source>
        <translation>%1 有削波，声音可能刺耳。请以较低电平录制。</translation>
    </message>
    <message>
        <source>%1 is very quiet (%2 dBFS) and is raised by 3 dB only; the voice may sound weak. Record it again at a higher level.</source>
        <translation>%1 音量很小（%2 dBFS），只提高了 3 dB，声音可能偏弱。请以较高电平重新录制。</translation>
    </message>
    <message>
        <source>%1 seems noisy; the noise may stay in the voice. Use a cleaner one.</source>
        <translation>%1 似乎有噪声，噪声可能留在声音里。请使用更干净的片段。</translation>
    </message>
    <message>
        <source>%1 breaks off: of %2 s only %3 s are there. Copy it again if the rest is wanted.</source>
        <translation>%1 不完整：%2 秒中只有 %3 秒。如需其余部分，请重新复制该文件。</translation>
    </message>
    <message>
        <source>%1 seems to break off after %2 s: the mark of its end is missing. Copy it again if the rest is wanted.</source>
        <translation>%1 似乎在 %2 秒处中断：缺少结尾标记。如需其余部分，请重新复制该文件。</translation>
    </message>
    <message>
        <source>The clip was encoded to codes of shape %1; the model takes [frames, %2].</source>
        <translation>片段的编码形状为 %1，而模型需要 [帧数, %2]。</translation>
    </message>
    <message>
        <source>The clip was encoded to codes that the model has no table for.</source>
        <translation>片段的编码超出了模型的码表。</translation>
    </message>
    <message>
        <source>Encode the clip with the model&apos;s own codec.</source>
        <translation>请用模型自己的编解码器编码片段。</translation>
    </message>
    <message>
        <source>The clip %1 cannot be read (%2).</source>
        <translation>无法读取片段 %1（%2）。</translation>
    </message>
    <message>
        <source>Check that the file is there.</source>
        <translation>请确认文件存在。</translation>
    </message>
    <message>
        <source>%1 has %2 channels; the first two were used.</source>
        <translation>%1 有 %2 个声道，使用了前两个。</translation>
    </message>
    <message>
        <source>%1 has %2 channels; they were mixed into one.</source>
        <translation>%1 有 %2 个声道，已混合为一个。</translation>
    </message>
    <message>
        <source>%1 is not a voice: %2</source>
        <translation>%1 不是声音：%2</translation>
    </message>
    <message>
        <source>“%1” comes with the model and stays as it is.</source>
        <translation>“%1”随模型附带，保持原样。</translation>
    </message>
    <message>
        <source>%1 holds %2 files; a voice has at most %3 clips.</source>
        <translation>%1 含有 %2 个文件；一个声音最多有 %3 个片段。</translation>
    </message>
    <message>
        <source>%1 holds something that is not part of a voice: %2.</source>
        <translation>%1 含有不属于声音的内容：%2。</translation>
    </message>
    <message>
        <source>%1 is damaged or no voice file (%2).</source>
        <translation>%1 已损坏，或不是声音文件（%2）。</translation>
    </message>
    <message>
        <source>%1 is larger than a voice may be (%2 MiB).</source>
        <translation>%1 超过了声音文件的上限（%2 MiB）。</translation>
    </message>
    <message>
        <source>%1 is not a voice file: its record is missing or doubled.</source>
        <translation>%1 不是声音文件：其记录缺失或重复。</translation>
    </message>
    <message>
        <source>The voice “%1” could not be removed.</source>
        <translation>无法移除声音“%1”。</translation>
    </message>
    <message>
        <source>The voice “%1” could not be restored.</source>
        <translation>无法恢复声音“%1”。</translation>
    </message>
    <message>
        <source>The voice could not be written to %1.</source>
        <translation>无法将声音写入 %1。</translation>
    </message>
    <message>
        <source>%1 could not be read.</source>
        <translation>无法读取 %1。</translation>
    </message>
    <message>
        <source>The voice “%1” could not be stored in %2.</source>
        <translation>无法将声音“%1”存入 %2。</translation>
    </message>
    <message>
        <source>The system says: %1.</source>
        <translation>系统提示：%1。</translation>
    </message>
    <message>
        <source>Several numbers in one sentence may be read wrong by this model: write them as words.</source>
        <translation>该模型可能读错一句中的多个数字：请写成文字。</translation>
    </message>
    <message>
        <source>A block has one length; the last one counts (%1 s). Remove the others.</source>
        <translation>一行只有一个时长，以最后一个为准（%1 秒）。请删除其他的。</translation>
    </message>
    <message>
        <source>%1 longer than the %2 s this model speaks at once, and cut inside. Write shorter sentences.</source>
        <translation>%1长于该模型一次可朗读的 %2 秒，已在句中切开。请写短一些的句子。</translation>
    </message>
    <message>
        <source>A run of characters without a space is longer than %1 s and cut anywhere. Put spaces into it.</source>
        <translation>有一串没有空格的字符长于 %1 秒，被随意切开。请加入空格。</translation>
    </message>
    <message>
        <source>A sentence is</source>
        <translation>有一个句子</translation>
    </message>
    <message>
        <source>%1 sentences are</source>
        <translation>有 %1 个句子</translation>
    </message>
    <message>
        <source>There is nothing here that can be spoken: write some words.</source>
        <translation>这里没有可以朗读的内容：请写一些文字。</translation>
    </message>
    <message>
        <source>This model&apos;s own pauses go in steps: %1 s is spoken as %2 s.</source>
        <translation>该模型的停顿按步长取值：%1 秒读作 %2 秒。</translation>
    </message>
    <message>
        <source>Pauses of %1 s in all were asked of the model, which made %2 s. Speak it again, or choose exact pauses.</source>
        <translation>要求模型停顿共 %1 秒，实际停顿了 %2 秒。请重新朗读，或改用精确停顿。</translation>
    </message>
    <message>
        <source>A pause lasts at most %1 seconds; this one is spoken as %2 s.</source>
        <translation>停顿最长 %1 秒；这一个读作 %2 秒。</translation>
    </message>
    <message>
        <source>A block lasts at most %1 seconds; the length is taken as that.</source>
        <translation>一行最长 %1 秒；时长按此取值。</translation>
    </message>
    <message>
        <source>“%1” is only half a tag and is not spoken. Write %2.</source>
        <translation>“%1”是不完整的标记，不会朗读。请写成 %2。</translation>
    </message>
    <message>
        <source>A length must be more than 0 seconds: write [length 4.0s].</source>
        <translation>时长必须大于 0 秒：请写 [length 4.0s]。</translation>
    </message>
    <message>
        <source> and %1 more</source>
        <translation>，另有 %1 个</translation>
    </message>
    <message>
        <source>Write it in plain English letters, or choose a model that reads it.</source>
        <translation>请用英文字母书写，或选择能读它的模型。</translation>
    </message>
    <message>
        <source>Remove or retype it.</source>
        <translation>请删除或重新输入。</translation>
    </message>
    <message>
        <source>%1 cannot read %2%3: left out. %4</source>
        <translation>%1 不能读 %2%3：已略去。%4</translation>
    </message>
    <message>
        <source>“%1” speaks only with the voices that come with it and cannot clone “%2”. A model that clones can, such as MOSS-TTS-Local v1.5.</source>
        <translation>“%1”只能用自带的声音朗读，不能克隆“%2”。能克隆声音的模型可以，例如 MOSS-TTS-Local v1.5。</translation>
    </message>
    <message>
        <source>“%1” has one voice of its own and cannot speak as “%2”.</source>
        <translation>“%1”只有自己的一个声音，不能用“%2”朗读。</translation>
    </message>
    <message>
        <source>The voice of this line is not here any more.</source>
        <translation>这一行的声音已经不在了。</translation>
    </message>
    <message>
        <source>Give the line another voice, or bring the voice back from the trash.</source>
        <translation>请给这一行换一个声音，或从回收站恢复该声音。</translation>
    </message>
    <message>
        <source>Choose another voice for the line, or another model.</source>
        <translation>请给这一行换一个声音，或换一个模型。</translation>
    </message>
    <message>
        <source>The clip of “%1” is not here.</source>
        <translation>“%1”的片段不在这里。</translation>
    </message>
    <message>
        <source>Add the clip to the voice again.</source>
        <translation>请重新把片段添加到该声音。</translation>
    </message>
    <message>
        <source>“%1” speaks only in the voice of a clip.</source>
        <translation>“%1”只能用片段中的声音朗读。</translation>
    </message>
    <message>
        <source>Give the line a voice first.</source>
        <translation>请先给这一行指定声音。</translation>
    </message>
    <message>
        <source>a wanted length</source>
        <translation>指定时长</translation>
    </message>
    <message>
        <source>a sound event</source>
        <translation>声音事件</translation>
    </message>
    <message>
        <source>an ambient sound</source>
        <translation>环境声</translation>
    </message>
    <message>
        <source>There is nothing to speak.</source>
        <translation>没有可朗读的内容。</translation>
    </message>
    <message>
        <source>Type some text first.</source>
        <translation>请先输入文字。</translation>
    </message>
    <message>
        <source>The seed %1 is not between 0 and 2^63-1.</source>
        <translation>种子 %1 不在 0 到 2^63-1 之间。</translation>
    </message>
    <message>
        <source>%1 frames cannot be spoken.</source>
        <translation>无法生成 %1 帧的语音。</translation>
    </message>
    <message>
        <source>Choose 1 to %1 frames of 80 ms.</source>
        <translation>请选择 1 到 %1 帧（每帧 80 毫秒）。</translation>
    </message>
    <message>
        <source>Choose another seed.</source>
        <translation>请选择其他种子。</translation>
    </message>
    <message>
        <source>“%1” speaks %2, not %3.</source>
        <translation>“%1”会说 %2，不会说 %3。</translation>
    </message>
    <message>
        <source>Choose one of its languages, or another model.</source>
        <translation>请选择它支持的语言，或其他模型。</translation>
    </message>
    <message>
        <source>“%1” has one voice and takes no clips.</source>
        <translation>“%1”只有一个声音，不接受片段。</translation>
    </message>
    <message>
        <source>Choose a model that clones voices.</source>
        <translation>请选择能克隆声音的模型。</translation>
    </message>
    <message>
        <source>Choose a voice first.</source>
        <translation>请先选择声音。</translation>
    </message>
    <message>
        <source>“%1” cannot go on from other audio.</source>
        <translation>“%1”不能接着其他音频朗读。</translation>
    </message>
    <message>
        <source>Choose a model that continues, such as MOSS-TTS-Local v1.5.</source>
        <translation>请选择能接续的模型，例如 MOSS-TTS-Local v1.5。</translation>
    </message>
    <message>
        <source>“%1” does not follow %2; it was left out.</source>
        <translation>“%1”不支持%2，已略去。</translation>
    </message>
    <message>
        <source>Speaking was ended before the text was: it took far longer than the text should. Speak it again.</source>
        <translation>朗读在文字读完之前被终止：用时远超应有的长度。请重新朗读。</translation>
    </message>
    <message>
        <source>The voice ran away: silence or repetition without end. Speak the line again.</source>
        <translation>声音失控：没完没了的静音或重复。请重新朗读这一行。</translation>
    </message>
    <message>
        <source>The voice stopped far too early for this text; words are missing. Speak the line again.</source>
        <translation>声音停得太早，缺少词语。请重新朗读这一行。</translation>
    </message>
    <message>
        <source>The model cannot read all of this line; what it cannot read was left out.</source>
        <translation>模型无法读出这一行的全部内容；无法读出的部分已略去。</translation>
    </message>
    <message>
        <source>Speaking was stopped before the end. Speak the line again.</source>
        <translation>朗读在结束前被停止。请重新朗读这一行。</translation>
    </message>
    <message>
        <source>Speaking broke off before the end. Speak the line again.</source>
        <translation>朗读在结束前中断。请重新朗读这一行。</translation>
    </message>
    <message>
        <source>The studio ended while this was being spoken. Speak the line again.</source>
        <translation>朗读这一行时程序退出了。请重新朗读这一行。</translation>
    </message>
    <message>
        <source>No graphics card that can run it</source>
        <translation>没有可以运行它的显卡</translation>
    </message>
    <message>
        <source>%1 has %2 GB; it takes %3</source>
        <translation>%1 有 %2 GB，需要 %3</translation>
    </message>
    <message>
        <source>%1, and the processor has %2 GB of memory of the %3 GB it takes. Use a speech server for it.</source>
        <translation>%1，而内存只有 %2 GB，需要 %3 GB。请使用语音服务器。</translation>
    </message>
    <message>
        <source>Runs on %1 (%2 GB).</source>
        <translation>可在 %1（%2 GB）上运行。</translation>
    </message>
    <message>
        <source>%1. On the processor it takes about %2 s for a second of speech.</source>
        <translation>%1。在处理器上，一秒语音约需 %2 秒。</translation>
    </message>
    <message>
        <source>Playing stopped: %1</source>
        <translation>播放已停止：%1</translation>
    </message>
    <message>
        <source>Playing is paused; making speech goes on.</source>
        <translation>播放已暂停；语音仍在继续生成。</translation>
    </message>
    <message>
        <source>The line could not be spoken: %1</source>
        <translation>无法朗读这一行：%1</translation>
    </message>
    <message>
        <source>There is nothing to speak in this text.</source>
        <translation>这段文本没有可以朗读的内容。</translation>
    </message>
    <message>
        <source>Write some words.</source>
        <translation>请写一些文字。</translation>
    </message>
    <message>
        <source>Known are: %1.</source>
        <translation>已知的有：%1。</translation>
    </message>
    <message>
        <source>The language “%1” is not known.</source>
        <translation>没有“%1”这种语言。</translation>
    </message>
    <message>
        <source>Give them with --transcript.</source>
        <translation>请用 --transcript 给出。</translation>
    </message>
    <message>
        <source>To go on from a clip, its words must be known.</source>
        <translation>要从片段接着朗读，必须知道片段的文字。</translation>
    </message>
    <message>
        <source>The line “%1” was not spoken yet.</source>
        <translation>“%1”这一行还没有朗读。</translation>
    </message>
    <message>
        <source>Render it, or leave it out.</source>
        <translation>请生成它，或略去它。</translation>
    </message>
    <message>
        <source>Clones any voice from a short clip, speaks 31 languages, follows lengths and instructions; 48 kHz stereo.</source>
        <translation>用一小段片段即可克隆任何声音，会说 31 种语言，支持指定时长和指示；48 kHz 立体声。</translation>
    </message>
    <message>
        <source>This take is not complete.</source>
        <translation>这条录音不完整。</translation>
    </message>
    <message>
        <source>There is nothing in this line that can be spoken. Write some words.</source>
        <translation>这一行没有可以朗读的内容。请写一些文字。</translation>
    </message>
    <message>
        <source>The line could not be spoken (%1: %2).</source>
        <translation>无法朗读这一行（%1：%2）。</translation>
    </message>
    <message>
        <source>The sentences could not be spoken (%1: %2).</source>
        <translation>无法朗读这些句子（%1：%2）。</translation>
    </message>
    <message>
        <source>Nothing was spoken. Try it again.</source>
        <translation>没有读出任何内容。请重试。</translation>
    </message>
    <message>
        <source>%1 GB of memory, %2 GB of it free.</source>
        <translation>内存 %1 GB，其中 %2 GB 可用。</translation>
    </message>
    <message>
        <source>%1 is not used: %2 servers are kept, and it is the key of one.</source>
        <translation>没有使用 %1：保存了 %2 个服务器，而它是其中一个的密钥。</translation>
    </message>
    <message>
        <source>Install PySide6-Essentials and the system&apos;s libegl1, libgl1, libxkbcommon0 and libxcb-cursor0.</source>
        <translation>请安装 PySide6-Essentials 以及系统的 libegl1、libgl1、libxkbcommon0 和 libxcb-cursor0。</translation>
    </message>
    <message>
        <source>The starter model lacks %1.</source>
        <translation>入门模型缺少 %1。</translation>
    </message>
    <message>
        <source>Install the studio again.</source>
        <translation>请重新安装本程序。</translation>
    </message>
    <message>
        <source>The starter model and its %1 voices are there.</source>
        <translation>入门模型及其 %1 个声音齐全。</translation>
    </message>
    <message>
        <source>The starter takes up to %1 GB: close other programs.</source>
        <translation>入门模型最多占用 %1 GB：请关闭其他程序。</translation>
    </message>
    <message>
        <source>One processor core.</source>
        <translation>一个处理器核心。</translation>
    </message>
    <message>
        <source>Speech may be slower than it is played.</source>
        <translation>生成语音可能慢于播放。</translation>
    </message>
    <message>
        <source>%1 processor cores.</source>
        <translation>%1 个处理器核心。</translation>
    </message>
    <message>
        <source>numba is not installed: speech is made several times slower.</source>
        <translation>未安装 numba：生成语音会慢数倍。</translation>
    </message>
    <message>
        <source>libsndfile does not write %1.</source>
        <translation>libsndfile 不能写入 %1。</translation>
    </message>
    <message>
        <source>Update the soundfile package.</source>
        <translation>请更新 soundfile 软件包。</translation>
    </message>
    <message>
        <source>wav, flac, mp3, ogg and opus can be written.</source>
        <translation>可以写入 wav、flac、mp3、ogg 和 opus。</translation>
    </message>
    <message>
        <source>m4a and video files can be read.</source>
        <translation>可以读取 m4a 和视频文件。</translation>
    </message>
    <message>
        <source>There is no microphone.</source>
        <translation>没有麦克风。</translation>
    </message>
    <message>
        <source>Voices can be made from files.</source>
        <translation>可以用文件创建声音。</translation>
    </message>
    <message>
        <source>%1 devices to play through.</source>
        <translation>%1 个播放设备。</translation>
    </message>
    <message>
        <source>There is no device to play through.</source>
        <translation>没有播放设备。</translation>
    </message>
    <message>
        <source>Files can be made all the same.</source>
        <translation>仍然可以生成文件。</translation>
    </message>
    <message>
        <source>GPU %1: driver %2, %3 free.</source>
        <translation>GPU %1：驱动 %2，可用 %3。</translation>
    </message>
    <message>
        <source>Choose another under Models &amp; Servers.</source>
        <translation>请在“模型与服务器”中选择其他的。</translation>
    </message>
    <message>
        <source>Only the starter is installed: it knows five voices.</source>
        <translation>只安装了入门模型：它有五个声音。</translation>
    </message>
    <message>
        <source>The full-size model clones any voice.</source>
        <translation>完整模型可以克隆任何声音。</translation>
    </message>
    <message>
        <source>Given up for it: %1.</source>
        <translation>为此放弃：%1。</translation>
    </message>
    <message>
        <source>The GPU is too old or too new for this build of torch.</source>
        <translation>该 GPU 对此版本的 torch 来说太旧或太新。</translation>
    </message>
    <message>
        <source>Install a build made for it.</source>
        <translation>请安装适用的版本。</translation>
    </message>
    <message>
        <source>m4a and video files cannot be read (%1).</source>
        <translation>无法读取 m4a 和视频文件（%1）。</translation>
    </message>
    <message>
        <source>Nothing can be played (%1).</source>
        <translation>无法播放（%1）。</translation>
    </message>
    <message>
        <source>Install PortAudio (libportaudio2).</source>
        <translation>请安装 PortAudio（libportaudio2）。</translation>
    </message>
    <message>
        <source>“%1” answers (%2).</source>
        <translation>“%1”有响应（%2）。</translation>
    </message>
    <message>
        <source>The NVIDIA driver does not answer (%1).</source>
        <translation>NVIDIA 驱动没有响应（%1）。</translation>
    </message>
    <message>
        <source>Install it again.</source>
        <translation>请重新安装。</translation>
    </message>
    <message>
        <source>%1 may not be written.</source>
        <translation>%1 不可写。</translation>
    </message>
    <message>
        <source>“%1” is damaged: %2</source>
        <translation>“%1”已损坏：%2</translation>
    </message>
    <message>
        <source>Open Models and repair or forget it.</source>
        <translation>请打开“模型”，修复或移除它。</translation>
    </message>
    <message>
        <source>%1: too small for the full-size model.</source>
        <translation>%1：对完整模型来说太小。</translation>
    </message>
    <message>
        <source>There is an NVIDIA driver, but this torch is built for the CPU.</source>
        <translation>有 NVIDIA 驱动，但此 torch 是 CPU 版本。</translation>
    </message>
    <message>
        <source>Install torch with CUDA.</source>
        <translation>请安装带 CUDA 的 torch。</translation>
    </message>
    <message>
        <source>No CUDA GPU: the starter speaks on the processor.</source>
        <translation>没有 CUDA GPU：入门模型在处理器上朗读。</translation>
    </message>
    <message>
        <source>Use a speech server for larger models.</source>
        <translation>更大的模型请使用语音服务器。</translation>
    </message>
    <message>
        <source>%1: only %2 GB are free at %3.</source>
        <translation>%1：%3 只有 %2 GB 可用空间。</translation>
    </message>
    <message>
        <source>Free some space.</source>
        <translation>请释放一些空间。</translation>
    </message>
    <message>
        <source>The download of “%1” is not finished.</source>
        <translation>“%1”的下载尚未完成。</translation>
    </message>
    <message>
        <source>Go on with it under Models.</source>
        <translation>请在“模型”中继续。</translation>
    </message>
    <message>
        <source>%1: runs the full-size model: %2.</source>
        <translation>%1：可以运行完整模型：%2。</translation>
    </message>
    <message>
        <source>“%1” does not play: it was unplugged, or another program holds it.</source>
        <translation>“%1”无法播放：它可能已被拔下，或被其他程序占用。</translation>
    </message>
    <message>
        <source>Plug it in again, or choose another output in Preferences &gt; Sound.</source>
        <translation>请重新接上它，或在“首选项 &gt; 声音”中选择其他输出。</translation>
    </message>
    <message>
        <source>“%1” cannot record: it was unplugged, or another program holds it.</source>
        <translation>“%1”无法录音：它可能已被拔下，或被其他程序占用。</translation>
    </message>
    <message>
        <source>Plug it in again, or choose another microphone in Preferences &gt; Sound.</source>
        <translation>请重新接上它，或在“首选项 &gt; 声音”中选择其他麦克风。</translation>
    </message>
    <message>
        <source>Installed: %1.</source>
        <translation>已安装：%1。</translation>
    </message>
    <message>
        <source>Python %1 on %2 %3</source>
        <translation>Python %1，系统 %2 %3</translation>
    </message>
    <message>
        <source>%1: %2 (%3 GB free)</source>
        <translation>%1：%2（剩余 %3 GB）</translation>
    </message>
    <message>
        <source>profile</source>
        <translation>配置文件夹</translation>
    </message>
    <message>
        <source>models</source>
        <translation>模型文件夹</translation>
    </message>
    <message>
        <source>cache</source>
        <translation>缓存文件夹</translation>
    </message>
    <message>
        <source>This could not be examined (%1: %2).</source>
        <translation>无法检查此项（%1：%2）。</translation>
    </message>
    <message>
        <source>pip install av</source>
        <translation>运行 pip install av</translation>
    </message>
    <message>
        <source>pip install numba</source>
        <translation>运行 pip install numba</translation>
    </message>
    <message>
        <source>[Errno %1] %2: %3 -&gt; %4</source>
        <translation>%2：%3 -&gt; %4（错误 %1）</translation>
    </message>
    <message>
        <source>[Errno %1] %2: %3</source>
        <translation>%2：%3（错误 %1）</translation>
    </message>
    <message>
        <source>[Errno %1] %2</source>
        <translation>%2（错误 %1）</translation>
    </message>
    <message>
        <source>No space left on device</source>
        <translation>磁盘空间不足</translation>
    </message>
    <message>
        <source>Disk quota exceeded</source>
        <translation>超出磁盘配额</translation>
    </message>
    <message>
        <source>Permission denied</source>
        <translation>没有权限</translation>
    </message>
    <message>
        <source>Operation not permitted</source>
        <translation>不允许该操作</translation>
    </message>
    <message>
        <source>Read-only file system</source>
        <translation>文件系统为只读</translation>
    </message>
    <message>
        <source>No such file or directory</source>
        <translation>没有该文件或文件夹</translation>
    </message>
    <message>
        <source>Not a directory</source>
        <translation>不是文件夹</translation>
    </message>
    <message>
        <source>Is a directory</source>
        <translation>是一个文件夹</translation>
    </message>
    <message>
        <source>File exists</source>
        <translation>文件已存在</translation>
    </message>
    <message>
        <source>File name too long</source>
        <translation>文件名过长</translation>
    </message>
    <message>
        <source>Input/output error</source>
        <translation>读写出错</translation>
    </message>
    <message>
        <source>Device or resource busy</source>
        <translation>设备或资源正忙</translation>
    </message>
    <message>
        <source>Transport endpoint is not connected</source>
        <translation>连接已断开</translation>
    </message>
    <message>
        <source>Stale file handle</source>
        <translation>网络文件已失效</translation>
    </message>
    <message>
        <source>Connection refused</source>
        <translation>连接被拒绝</translation>
    </message>
    <message>
        <source>Connection reset by peer</source>
        <translation>连接被对方断开</translation>
    </message>
    <message>
        <source>Connection timed out</source>
        <translation>连接超时</translation>
    </message>
    <message>
        <source>Network is unreachable</source>
        <translation>网络不可达</translation>
    </message>
    <message>
        <source>No route to host</source>
        <translation>无法到达主机</translation>
    </message>
    <message>
        <source>Too many open files</source>
        <translation>打开的文件过多</translation>
    </message>
    <message>
        <source>Cannot allocate memory</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>Directory not empty</source>
        <translation>文件夹不为空</translation>
    </message>
    <message>
        <source>database disk image is malformed</source>
        <translation>数据库内容已损坏</translation>
    </message>
    <message>
        <source>database is locked</source>
        <translation>数据库正被占用</translation>
    </message>
    <message>
        <source>database or disk is full</source>
        <translation>数据库或磁盘已满</translation>
    </message>
    <message>
        <source>disk I/O error</source>
        <translation>磁盘读写出错</translation>
    </message>
    <message>
        <source>file is not a database</source>
        <translation>不是数据库文件</translation>
    </message>
    <message>
        <source>unable to open database file</source>
        <translation>无法打开数据库文件</translation>
    </message>
    <message>
        <source>attempt to write a readonly database</source>
        <translation>数据库为只读</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>已中断</translation>
    </message>
    <message>
        <source>%1 at position %2</source>
        <translation>%1（位置 %2）</translation>
    </message>
    <message>
        <source>unterminated character set</source>
        <translation>字符集没有结尾</translation>
    </message>
    <message>
        <source>missing ), unterminated subpattern</source>
        <translation>缺少右括号 )</translation>
    </message>
    <message>
        <source>unbalanced parenthesis</source>
        <translation>括号不成对</translation>
    </message>
    <message>
        <source>nothing to repeat</source>
        <translation>没有可重复的内容</translation>
    </message>
    <message>
        <source>multiple repeat</source>
        <translation>重复符号连用</translation>
    </message>
    <message>
        <source>min repeat greater than max repeat</source>
        <translation>最少次数大于最多次数</translation>
    </message>
    <message>
        <source>bad escape (end of pattern)</source>
        <translation>末尾有多余的反斜杠</translation>
    </message>
    <message>
        <source>bad escape %1</source>
        <translation>不认识的转义 %1</translation>
    </message>
    <message>
        <source>bad character range %1</source>
        <translation>字符范围 %1 不对</translation>
    </message>
    <message>
        <source>invalid group reference %1</source>
        <translation>引用的组 %1 不存在</translation>
    </message>
    <message>
        <source>unknown extension %1</source>
        <translation>不认识的语法 %1</translation>
    </message>
    <message>
        <source>look-behind requires fixed-width pattern</source>
        <translation>向后查看的模式必须长度固定</translation>
    </message>
    <message>
        <source>missing group name</source>
        <translation>缺少组名</translation>
    </message>
    <message>
        <source>no such group</source>
        <translation>没有该组</translation>
    </message>
    <message>
        <source>File is not a zip file</source>
        <translation>不是压缩文件</translation>
    </message>
    <message>
        <source>Bad magic number for file header</source>
        <translation>文件头标记错误</translation>
    </message>
    <message>
        <source>Bad magic number for central directory</source>
        <translation>目录标记错误</translation>
    </message>
    <message>
        <source>Bad CRC-32 for file %1</source>
        <translation>文件 %1 的校验和不对</translation>
    </message>
    <message>
        <source>Truncated file header</source>
        <translation>文件头不完整</translation>
    </message>
    <message>
        <source>Error %1 while decompressing data: %2</source>
        <translation>解压数据时出错：%2（%1）</translation>
    </message>
    <message>
        <source>%1: line %2, column %3</source>
        <translation>%1：第 %2 行第 %3 列</translation>
    </message>
    <message>
        <source>not well-formed (invalid token)</source>
        <translation>格式不正确（无效的记号）</translation>
    </message>
    <message>
        <source>no element found</source>
        <translation>没有任何元素</translation>
    </message>
    <message>
        <source>mismatched tag</source>
        <translation>标签不配对</translation>
    </message>
    <message>
        <source>syntax error</source>
        <translation>语法错误</translation>
    </message>
    <message>
        <source>junk after document element</source>
        <translation>文档结尾后有多余内容</translation>
    </message>
    <message>
        <source>undefined entity</source>
        <translation>未定义的实体</translation>
    </message>
    <message>
        <source>unclosed token</source>
        <translation>记号没有结尾</translation>
    </message>
    <message>
        <source>%1: line %2 column %3 (char %4)</source>
        <translation>%1：第 %2 行第 %3 列（第 %4 个字符）</translation>
    </message>
    <message>
        <source>Expecting value</source>
        <translation>缺少值</translation>
    </message>
    <message>
        <source>Extra data</source>
        <translation>有多余的数据</translation>
    </message>
    <message>
        <source>Expecting property name enclosed in double quotes</source>
        <translation>缺少双引号中的属性名</translation>
    </message>
    <message>
        <source>Unterminated string starting at</source>
        <translation>字符串没有结尾</translation>
    </message>
    <message>
        <source>Expecting &apos;,&apos; delimiter</source>
        <translation>缺少逗号</translation>
    </message>
    <message>
        <source>Expecting &apos;:&apos; delimiter</source>
        <translation>缺少冒号</translation>
    </message>
    <message>
        <source>malformed database schema (%1) - %2</source>
        <translation>数据库结构 %1 已损坏：%2</translation>
    </message>
    <message>
        <source>malformed database schema (%1)</source>
        <translation>数据库结构 %1 已损坏</translation>
    </message>
    <message>
        <source>invalid rootpage</source>
        <translation>根页无效</translation>
    </message>
    <message>
        <source>Error opening %1: %2</source>
        <translation>打开 %1 时出错：%2</translation>
    </message>
    <message>
        <source>Format not recognised.</source>
        <translation>无法识别的格式。</translation>
    </message>
    <message>
        <source>System error.</source>
        <translation>系统错误。</translation>
    </message>
    <message>
        <source>Invalid data found when processing input</source>
        <translation>数据无效</translation>
    </message>
    <message>
        <source>End of file</source>
        <translation>文件提前结束</translation>
    </message>
    <message>
        <source>timed out</source>
        <translation>超时</translation>
    </message>
    <message>
        <source>The read operation timed out</source>
        <translation>读取超时</translation>
    </message>
    <message>
        <source>Name or service not known</source>
        <translation>找不到该主机名</translation>
    </message>
    <message>
        <source>Temporary failure in name resolution</source>
        <translation>暂时无法解析主机名</translation>
    </message>
    <message>
        <source>No address associated with hostname</source>
        <translation>该主机名没有地址</translation>
    </message>
    <message>
        <source>Broken pipe</source>
        <translation>连接已断开</translation>
    </message>
    <message>
        <source>Remote end closed connection without response</source>
        <translation>对方没有回应就断开了连接</translation>
    </message>
    <message>
        <source>No module named %1</source>
        <translation>没有模块 %1</translation>
    </message>
    <message>
        <source>All connection attempts failed</source>
        <translation>所有连接尝试均失败</translation>
    </message>
    <message>
        <source>Server disconnected without sending a response.</source>
        <translation>服务器没有回应就断开了连接。</translation>
    </message>
    <message>
        <source>peer closed connection without sending complete message body (%1)</source>
        <translation>对方在发完内容之前断开了连接（%1）</translation>
    </message>
    <message>
        <source>incomplete chunked read</source>
        <translation>分块不完整</translation>
    </message>
    <message>
        <source>received %1 bytes, expected %2</source>
        <translation>收到 %1 字节，应为 %2</translation>
    </message>
    <message>
        <source>The handshake operation timed out</source>
        <translation>握手超时</translation>
    </message>
    <message>
        <source>The write operation timed out</source>
        <translation>写入超时</translation>
    </message>
    <message>
        <source>[SSL: %1] %2 (%3)</source>
        <translation>%2（%1，%3）</translation>
    </message>
    <message>
        <source>certificate verify failed: %1</source>
        <translation>证书验证失败：%1</translation>
    </message>
    <message>
        <source>certificate verify failed</source>
        <translation>证书验证失败</translation>
    </message>
    <message>
        <source>self-signed certificate</source>
        <translation>自签名证书</translation>
    </message>
    <message>
        <source>self-signed certificate in certificate chain</source>
        <translation>证书链中有自签名证书</translation>
    </message>
    <message>
        <source>unable to get local issuer certificate</source>
        <translation>找不到颁发者的证书</translation>
    </message>
    <message>
        <source>certificate has expired</source>
        <translation>证书已过期</translation>
    </message>
    <message>
        <source>Hostname mismatch, certificate is not valid for %1.</source>
        <translation>主机名不符，证书不适用于 %1。</translation>
    </message>
    <message>
        <source>wrong version number</source>
        <translation>协议版本不对，可能应使用 http://</translation>
    </message>
    <message>
        <source>record layer failure</source>
        <translation>协议不对，可能应使用 http://</translation>
    </message>
    <message>
        <source>The output</source>
        <translation>输出设备</translation>
    </message>
    <message>
        <source>(no suffix)</source>
        <translation>（无后缀）</translation>
    </message>
    <message>
        <source>No microphone was found.</source>
        <translation>没有找到麦克风。</translation>
    </message>
    <message>
        <source>Plug one in, or drop a sound file instead.</source>
        <translation>请插上麦克风，或拖入声音文件。</translation>
    </message>
    <message>
        <source>Sound is off: the PortAudio library could not be loaded (%1). Install libportaudio2 and start the studio again. Everything but hearing works.</source>
        <translation>声音已关闭：无法加载 PortAudio 库（%1）。请安装 libportaudio2 后重新启动。除收听外一切可用。</translation>
    </message>
    <message>
        <source>The disk is full: changes to %1 cannot be saved.</source>
        <translation>磁盘已满：无法保存对 %1 的更改。</translation>
    </message>
    <message>
        <source>Free some space; saving goes on by itself. Or save the project to another disk.</source>
        <translation>请释放一些空间，保存会自动继续；或将项目保存到其他磁盘。</translation>
    </message>
    <message>
        <source>%1 can no longer be written.</source>
        <translation>无法再写入 %1。</translation>
    </message>
    <message>
        <source>Allow writing to the file and its folder; saving goes on by itself. Or save the project elsewhere.</source>
        <translation>请允许写入该文件及其文件夹，保存会自动继续；或将项目保存到别处。</translation>
    </message>
    <message>
        <source>The drive with %1 does not answer.</source>
        <translation>%1 所在的驱动器没有响应。</translation>
    </message>
    <message>
        <source>Connect the drive again; saving goes on by itself. Or save the project elsewhere.</source>
        <translation>请重新连接驱动器，保存会自动继续；或将项目保存到别处。</translation>
    </message>
    <message>
        <source>Another program keeps %1 from being saved.</source>
        <translation>另一个程序使 %1 无法保存。</translation>
    </message>
    <message>
        <source>Close the program that uses the file; saving goes on by itself.</source>
        <translation>请关闭占用该文件的程序，保存会自动继续。</translation>
    </message>
    <message>
        <source>%1 was damaged by something else while it was open.</source>
        <translation>%1 在打开期间被其他程序损坏。</translation>
    </message>
    <message>
        <source>Save the project under another name now; what you did since is kept.</source>
        <translation>请立即用其他名称保存项目；此后所做的都会保留。</translation>
    </message>
    <message>
        <source>Too much audio waits to be saved; no more is made until %1 can be written again.</source>
        <translation>等待保存的音频太多；在能再次写入 %1 之前不再生成。</translation>
    </message>
    <message>
        <source>Free some space or save the project to another disk.</source>
        <translation>请释放一些空间，或将项目保存到其他磁盘。</translation>
    </message>
    <message>
        <source>%1 could not be copied to the network.</source>
        <translation>无法将 %1 复制到网络。</translation>
    </message>
    <message>
        <source>The project was closed.</source>
        <translation>项目已关闭。</translation>
    </message>
    <message>
        <source>%1 was closed.</source>
        <translation>%1 已关闭。</translation>
    </message>
    <message>
        <source>Open it and try again.</source>
        <translation>请打开它再试一次。</translation>
    </message>
    <message>
        <source>%1 cannot be compacted now (%2).</source>
        <translation>现在无法压缩 %1（%2）。</translation>
    </message>
    <message>
        <source>Nothing was changed; try again later.</source>
        <translation>未做任何更改；请稍后再试。</translation>
    </message>
    <message>
        <source>Your work is safe on this computer and is copied as soon as the network answers.</source>
        <translation>您的内容安全地保存在本机，网络响应后会立即复制。</translation>
    </message>
    <message>
        <source>Saving %1 takes long: its drive is slow to answer.</source>
        <translation>保存 %1 用时较长：其驱动器响应缓慢。</translation>
    </message>
    <message>
        <source>Go on, but leave the drive connected until it is saved. If it stays so, save the project to another disk.</source>
        <translation>可以继续，但在保存完成前请保持驱动器连接。如果一直如此，请将项目保存到其他磁盘。</translation>
    </message>
    <message>
        <source>Changes to %1 cannot be saved (%2).</source>
        <translation>无法保存对 %1 的更改（%2）。</translation>
    </message>
    <message>
        <source>Save the project under another name.</source>
        <translation>请用其他名称保存项目。</translation>
    </message>
    <message>
        <source>in another window</source>
        <translation>在另一个窗口中</translation>
    </message>
    <message>
        <source>%1 is open %2.</source>
        <translation>%1 已%2打开。</translation>
    </message>
    <message>
        <source>Close it there, or open it here read-only: then nothing can be lost.</source>
        <translation>请在那里关闭它，或在这里以只读方式打开，这样不会丢失任何内容。</translation>
    </message>
    <message>
        <source>in another window of this computer (process %1)</source>
        <translation>在本机的另一个窗口（进程 %1）中</translation>
    </message>
    <message>
        <source>by %1 on %2</source>
        <translation>由 %1 在 %2 上</translation>
    </message>
    <message>
        <source>Choose a WAV, FLAC, MP3, Ogg, Opus, M4A or video file, or save the clip again as WAV.</source>
        <translation>请选择 WAV、FLAC、MP3、Ogg、Opus、M4A 或视频文件，或将片段另存为 WAV。</translation>
    </message>
    <message>
        <source>%1 %2; at most %3 s can be used.</source>
        <translation>%1 %2；最多可用 %3 秒。</translation>
    </message>
    <message>
        <source>There is no sound in %1, or none in the chosen part.</source>
        <translation>%1 中没有声音，或所选部分没有声音。</translation>
    </message>
    <message>
        <source>is %1 s long</source>
        <translation>长 %1 秒</translation>
    </message>
    <message>
        <source>is longer than %1 s</source>
        <translation>长于 %1 秒</translation>
    </message>
    <message>
        <source>%1 cannot be read as audio (%2).</source>
        <translation>无法将 %1 作为音频读取（%2）。</translation>
    </message>
    <message>
        <source>%1 is empty.</source>
        <translation>%1 是空的。</translation>
    </message>
    <message>
        <source>Record or copy it again.</source>
        <translation>请重新录制或复制。</translation>
    </message>
    <message>
        <source>Choose another part or clip.</source>
        <translation>请选择其他部分或片段。</translation>
    </message>
    <message>
        <source>%1 is damaged: it holds values that are no numbers.</source>
        <translation>%1 已损坏：其中含有非数值。</translation>
    </message>
    <message>
        <source>Save it again as 24-bit WAV.</source>
        <translation>请另存为 24 位 WAV。</translation>
    </message>
    <message>
        <source>The chosen part of %1 (%2 s to %3 s) is none.</source>
        <translation>%1 的所选部分（%2 秒到 %3 秒）无效。</translation>
    </message>
    <message>
        <source>Its start must lie at 0 s or later, and its end after its start.</source>
        <translation>起点必须不早于 0 秒，终点必须在起点之后。</translation>
    </message>
    <message>
        <source>%1 holds too much data for a clip.</source>
        <translation>%1 的数据量对片段来说太大。</translation>
    </message>
    <message>
        <source>Save it at 48 kHz with one or two channels.</source>
        <translation>请以 48 kHz、一个或两个声道保存。</translation>
    </message>
    <message>
        <source>%1 is not a file.</source>
        <translation>%1 不是文件。</translation>
    </message>
    <message>
        <source>Choose an audio file.</source>
        <translation>请选择音频文件。</translation>
    </message>
    <message>
        <source>There is no sound in %1.</source>
        <translation>%1 中没有声音。</translation>
    </message>
    <message>
        <source>Choose a file that has a sound track.</source>
        <translation>请选择有音轨的文件。</translation>
    </message>
    <message>
        <source>Nothing of this choice is spoken, so there is nothing to export.</source>
        <translation>所选内容都不朗读，没有可导出的内容。</translation>
    </message>
    <message>
        <source>Choose other lines.</source>
        <translation>请选择其他行。</translation>
    </message>
    <message>
        <source>%1 is a folder.</source>
        <translation>%1 是文件夹。</translation>
    </message>
    <message>
        <source>Choose another name.</source>
        <translation>请选择其他名称。</translation>
    </message>
    <message>
        <source>The export needs about %1 MB, and %2 has %3 MB left.</source>
        <translation>导出约需 %1 MB，而 %2 只剩 %3 MB。</translation>
    </message>
    <message>
        <source>Free some space or choose another folder.</source>
        <translation>请释放一些空间或选择其他文件夹。</translation>
    </message>
    <message>
        <source>The speech ended before the text can have been spoken. Listen to it, or speak it again.</source>
        <translation>语音在文字读完之前就结束了。请听一听，或重新朗读。</translation>
    </message>
    <message>
        <source>Speak it again with another seed.</source>
        <translation>请用其他种子重新朗读。</translation>
    </message>
    <message>
        <source>Speak it again.</source>
        <translation>请重新朗读。</translation>
    </message>
    <message>
        <source>%1; it was ended there. %2</source>
        <translation>%1，已在那里终止。%2</translation>
    </message>
    <message>
        <source>The model fell silent for %1 s</source>
        <translation>模型静默了 %1 秒</translation>
    </message>
    <message>
        <source>The model repeated the same sound over and over</source>
        <translation>模型反复重复同一个声音</translation>
    </message>
    <message>
        <source>About %1 s were expected, %2 s were spoken</source>
        <translation>预计约 %1 秒，实际朗读了 %2 秒</translation>
    </message>
    <message>
        <source>There is no display.</source>
        <translation>没有显示器。</translation>
    </message>
    <message>
        <source>Use the commands, or log in to a desktop.</source>
        <translation>请使用命令行，或登录桌面。</translation>
    </message>
    <message>
        <source>The window can open.</source>
        <translation>窗口可以打开。</translation>
    </message>
    <message>
        <source>The window cannot open (%1).</source>
        <translation>无法打开窗口（%1）。</translation>
    </message>
    <message>
        <source>There is no server “%1”.</source>
        <translation>没有服务器“%1”。</translation>
    </message>
    <message>
        <source>Kept are: %1.</source>
        <translation>已保存的有：%1。</translation>
    </message>
    <message>
        <source>Name the server with --server.</source>
        <translation>请用 --server 指定服务器。</translation>
    </message>
    <message>
        <source>Choose another with --profile.</source>
        <translation>请用 --profile 选择其他的。</translation>
    </message>
    <message>
        <source>No output was found: the playhead moves, but nothing can be heard. Plug in headphones or speakers.</source>
        <translation>没有找到输出设备：播放位置在移动，但听不到声音。请插上耳机或扬声器。</translation>
    </message>
    <message>
        <source>The output is back. Press play to go on from where you were.</source>
        <translation>输出设备已恢复。按播放可从刚才的位置继续。</translation>
    </message>
    <message>
        <source>The output is back; playing goes on from where you were.</source>
        <translation>输出设备已恢复，从刚才的位置继续播放。</translation>
    </message>
    <message>
        <source>%1 does not answer any more.</source>
        <translation>%1 不再响应。</translation>
    </message>
    <message>
        <source>Press play to go on.</source>
        <translation>按播放继续。</translation>
    </message>
    <message>
        <source>A voice needs a name.</source>
        <translation>声音需要一个名称。</translation>
    </message>
    <message>
        <source>Add its clip under a name of your own.</source>
        <translation>请用您自己的名称添加它的片段。</translation>
    </message>
    <message>
        <source>Ask for the file again.</source>
        <translation>请重新索取该文件。</translation>
    </message>
    <message>
        <source>%1 lacks the clip %2.</source>
        <translation>%1 缺少片段 %2。</translation>
    </message>
    <message>
        <source>%1 does not look like audio or video.</source>
        <translation>%1 看起来不是音频或视频。</translation>
    </message>
    <message>
        <source>Choose another voice, or add it again.</source>
        <translation>请选择其他声音，或重新添加。</translation>
    </message>
    <message>
        <source>Import it from a .mvoice file.</source>
        <translation>请从 .mvoice 文件导入。</translation>
    </message>
    <message>
        <source>Nothing needs to be done.</source>
        <translation>无需任何操作。</translation>
    </message>
    <message>
        <source>The clip of the voice “%1” is gone: %2.</source>
        <translation>声音“%1”的片段不见了：%2。</translation>
    </message>
    <message>
        <source>The voice in %1 cannot be read (%2). Import it again from a .mvoice file.</source>
        <translation>无法读取 %1 中的声音（%2）。请从 .mvoice 文件重新导入。</translation>
    </message>
    <message>
        <source>The voice “%1” is already in the library.</source>
        <translation>声音“%1”已在声音库中。</translation>
    </message>
    <message>
        <source>There are: %1.</source>
        <translation>现有：%1。</translation>
    </message>
    <message>
        <source>There is already a voice called “%1”.</source>
        <translation>已有名为“%1”的声音。</translation>
    </message>
    <message>
        <source>There is no voice or clip “%1”.</source>
        <translation>没有声音或片段“%1”。</translation>
    </message>
    <message>
        <source>This voice is no longer in the trash.</source>
        <translation>该声音已不在回收站中。</translation>
    </message>
    <message>
        <source>This voice is not in the library.</source>
        <translation>该声音不在声音库中。</translation>
    </message>
    <message>
        <source>Type one, for instance the speaker&apos;s.</source>
        <translation>请输入一个，例如说话人的名字。</translation>
    </message>
    <message>
        <source>A clip in %1 is larger than a clip may be (%2 MiB).</source>
        <translation>%1 中的一个片段超过了允许的大小（%2 MiB）。</translation>
    </message>
    <message>
        <source>The record in %1 cannot be read (%2).</source>
        <translation>无法读取 %1 中的记录（%2）。</translation>
    </message>
    <message>
        <source>The record in %1 is too large.</source>
        <translation>%1 中的记录太大。</translation>
    </message>
    <message>
        <source>Check free space and permissions, then try again.</source>
        <translation>请检查可用空间和权限，然后重试。</translation>
    </message>
    <message>
        <source>Check the path.</source>
        <translation>请检查路径。</translation>
    </message>
    <message>
        <source>Give a wav, flac, mp3, ogg, opus, m4a or video file.</source>
        <translation>请提供 wav、flac、mp3、ogg、opus、m4a 或视频文件。</translation>
    </message>
    <message>
        <source>The voice must have at least one clip, each of them audio.</source>
        <translation>声音至少要有一个片段，且都必须是音频。</translation>
    </message>
    <message>
        <source>Choose another name, or open it.</source>
        <translation>请选择其他名称，或打开它。</translation>
    </message>
    <message>
        <source>Choose another project.</source>
        <translation>请选择其他项目。</translation>
    </message>
    <message>
        <source>Open it for writing once, to bring it up to date.</source>
        <translation>请以可写方式打开一次，以更新它。</translation>
    </message>
    <message>
        <source>Open it for writing: what is whole is read, and a copy is kept.</source>
        <translation>请以可写方式打开：完好的部分会被读取，并保留一份副本。</translation>
    </message>
    <message>
        <source>Open it in the background.</source>
        <translation>请在后台打开。</translation>
    </message>
    <message>
        <source>The file as it was is kept as %1.</source>
        <translation>原文件已保留为 %1。</translation>
    </message>
    <message>
        <source>There is no file %1.</source>
        <translation>没有文件 %1。</translation>
    </message>
    <message>
        <source>Try again, or open a copy of it.</source>
        <translation>请重试，或打开它的副本。</translation>
    </message>
    <message>
        <source>Save it on another drive.</source>
        <translation>请保存到其他驱动器。</translation>
    </message>
    <message>
        <source>Save it under another name to change it.</source>
        <translation>要修改它，请另存为其他名称。</translation>
    </message>
    <message>
        <source>Installed: %1. A folder with a model can be given as well.</source>
        <translation>已安装：%1。也可以指定含有模型的文件夹。</translation>
    </message>
    <message>
        <source>There is no model “%1”.</source>
        <translation>没有模型“%1”。</translation>
    </message>
    <message>
        <source>Render them, or leave them out (--skip, or the switch in the export window).</source>
        <translation>请生成它们，或略去它们（--skip，或导出窗口中的开关）。</translation>
    </message>
    <message>
        <source>Check the disk and try again, or choose another folder.</source>
        <translation>请检查磁盘后重试，或选择其他文件夹。</translation>
    </message>
    <message>
        <source>Check the disk, then export again.</source>
        <translation>请检查磁盘，然后重新导出。</translation>
    </message>
    <message>
        <source>Choose a shorter one.</source>
        <translation>请选择短一些的。</translation>
    </message>
    <message>
        <source>The folder %1 is not there (any more), or is no folder.</source>
        <translation>文件夹 %1 不存在（或已不在），或不是文件夹。</translation>
    </message>
    <message>
        <source>The name %1 is too long for this disk.</source>
        <translation>名称 %1 对该磁盘来说太长。</translation>
    </message>
    <message>
        <source>There is no room left in %1 for %2.</source>
        <translation>%1 中没有空间存放 %2。</translation>
    </message>
    <message>
        <source>Speak shorter pieces, close other programs, or choose a smaller model.</source>
        <translation>请朗读短一些的内容、关闭其他程序，或选择较小的模型。</translation>
    </message>
    <message>
        <source>The engine met an error of its own (%1: %2).</source>
        <translation>引擎自身出错（%1：%2）。</translation>
    </message>
    <message>
        <source>There was not enough memory.</source>
        <translation>内存不足。</translation>
    </message>
    <message>
        <source>Open a model again.</source>
        <translation>请重新打开模型。</translation>
    </message>
    <message>
        <source>The engine was closed before the speech was finished.</source>
        <translation>引擎在朗读完成之前已关闭。</translation>
    </message>
    <message>
        <source>The engine was closed.</source>
        <translation>引擎已关闭。</translation>
    </message>
    <message>
        <source>Choose a shorter part of it.</source>
        <translation>请选择其中短一些的部分。</translation>
    </message>
    <message>
        <source>Choose one of them, or a model that clones any voice: MOSS-TTS-Local v1.5.</source>
        <translation>请选择其中之一，或能克隆任何声音的模型：MOSS-TTS-Local v1.5。</translation>
    </message>
    <message>
        <source>Encode the clip again.</source>
        <translation>请重新编码片段。</translation>
    </message>
    <message>
        <source>The clip is %1 s long; “%2” takes at most %3 s.</source>
        <translation>片段长 %1 秒；“%2”最多可用 %3 秒。</translation>
    </message>
    <message>
        <source>The clip&apos;s codes do not fit this model (%1).</source>
        <translation>片段的编码不适合该模型（%1）。</translation>
    </message>
    <message>
        <source>Allow downloads under Models &amp; Servers, or use a folder.</source>
        <translation>请在“模型与服务器”中允许下载，或使用文件夹。</translation>
    </message>
    <message>
        <source>Another program is downloading this model here.</source>
        <translation>另一个程序正在把这个模型下载到这里。</translation>
    </message>
    <message>
        <source>Choose another folder.</source>
        <translation>请选择其他文件夹。</translation>
    </message>
    <message>
        <source>Free some space and go on, or choose another disk.</source>
        <translation>请腾出一些空间后继续，或选择其他磁盘。</translation>
    </message>
    <message>
        <source>Free some space, or choose a folder on another disk.</source>
        <translation>请腾出一些空间，或选择其他磁盘上的文件夹。</translation>
    </message>
    <message>
        <source>It goes on from there when it is started again.</source>
        <translation>再次开始时会从那里继续。</translation>
    </message>
    <message>
        <source>The disk of %1 is full.</source>
        <translation>%1 所在的磁盘已满。</translation>
    </message>
    <message>
        <source>%1 cannot be written (%2).</source>
        <translation>无法写入 %1（%2）。</translation>
    </message>
    <message>
        <source>The download was stopped.</source>
        <translation>下载已停止。</translation>
    </message>
    <message>
        <source>The hub does not say which version of %1 it has.</source>
        <translation>模型库没有说明它的 %1 是哪个版本。</translation>
    </message>
    <message>
        <source>The studio is set to stay offline.</source>
        <translation>工作室已设为保持离线。</translation>
    </message>
    <message>
        <source>This model is being downloaded already.</source>
        <translation>这个模型已在下载中。</translation>
    </message>
    <message>
        <source>Try again later, or another mirror.</source>
        <translation>请稍后再试，或换一个镜像。</translation>
    </message>
    <message>
        <source>Try another mirror, or again later.</source>
        <translation>请换一个镜像，或稍后再试。</translation>
    </message>
    <message>
        <source>Try another mirror.</source>
        <translation>请换一个镜像。</translation>
    </message>
    <message>
        <source>Wait for it, or stop it first.</source>
        <translation>请等待它完成，或先停止它。</translation>
    </message>
    <message>
        <source>Wait for it, then try again.</source>
        <translation>请等待它完成后再试。</translation>
    </message>
    <message>
        <source>%1 holds no weights that can be used.</source>
        <translation>%1 中没有可用的权重。</translation>
    </message>
    <message>
        <source>“%1” needs %2 GB; %3 GB are free at %4.</source>
        <translation>“%1”需要 %2 GB；%4 处只有 %3 GB 可用。</translation>
    </message>
    <message>
        <source>%1 of %2 came damaged %3 times.</source>
        <translation>%2 的 %1 收到了 %3 次，每次都已损坏。</translation>
    </message>
    <message>
        <source>Accept its terms at %1/%2 and log in with `hf auth login`.</source>
        <translation>请在 %1/%2 接受其条款，并用 `hf auth login` 登录。</translation>
    </message>
    <message>
        <source>Check the mirror&apos;s address, or try another.</source>
        <translation>请检查镜像的地址，或换一个镜像。</translation>
    </message>
    <message>
        <source>Check the mirror&apos;s address.</source>
        <translation>请检查镜像的地址。</translation>
    </message>
    <message>
        <source>Check the network and the proxy, then go on.</source>
        <translation>请检查网络和代理，然后继续。</translation>
    </message>
    <message>
        <source>Choose another mirror.</source>
        <translation>请选择其他镜像。</translation>
    </message>
    <message>
        <source>Go on later.</source>
        <translation>请稍后继续。</translation>
    </message>
    <message>
        <source>Log in with `hf auth login`, or choose another mirror.</source>
        <translation>请用 `hf auth login` 登录，或选择其他镜像。</translation>
    </message>
    <message>
        <source>The connection to %1 failed (%2).</source>
        <translation>与 %1 的连接失败（%2）。</translation>
    </message>
    <message>
        <source>Wait some minutes, then go on.</source>
        <translation>请等几分钟再继续。</translation>
    </message>
    <message>
        <source>%1 asks for an account.</source>
        <translation>%1 要求账户。</translation>
    </message>
    <message>
        <source>%1 has no %2, or does not show it.</source>
        <translation>%1 没有 %2，或不显示它。</translation>
    </message>
    <message>
        <source>%1 does not answer as a hub does (%2).</source>
        <translation>%1 的回答不像模型库（%2）。</translation>
    </message>
    <message>
        <source>%1 refuses (%2).</source>
        <translation>%1 拒绝了请求（%2）。</translation>
    </message>
    <message>
        <source>%1 does not answer as a hub does: its answer does not end.</source>
        <translation>%1 不像模型库那样回应：它的回应没有尽头。</translation>
    </message>
    <message>
        <source>%1 packs what it sends as %2.</source>
        <translation>%1 以 %2 方式压缩了它发送的内容。</translation>
    </message>
    <message>
        <source>What the hub sends cannot be unpacked.</source>
        <translation>模型库发送的内容无法解压。</translation>
    </message>
    <message>
        <source>“%1” is no address of a hub.</source>
        <translation>“%1”不是模型库的地址。</translation>
    </message>
    <message>
        <source>Write one like %1, or leave it empty (Models &amp; Servers, or HF_ENDPOINT).</source>
        <translation>请写成类似 %1 的形式，或留空（“模型与服务器”，或 HF_ENDPOINT）。</translation>
    </message>
    <message>
        <source>“%1” is no address of a proxy.</source>
        <translation>“%1”不是代理的地址。</translation>
    </message>
    <message>
        <source>Write one like http://127.0.0.1:3128, or leave it empty.</source>
        <translation>请写成类似 http://127.0.0.1:3128 的形式，或留空。</translation>
    </message>
    <message>
        <source>%1 has not this file.</source>
        <translation>%1 没有这个文件。</translation>
    </message>
    <message>
        <source>%1 is asked too often.</source>
        <translation>对 %1 的请求过于频繁。</translation>
    </message>
    <message>
        <source>%1 has a fault of its own (%2).</source>
        <translation>%1 自身出了故障（%2）。</translation>
    </message>
    <message>
        <source>Close what uses it and try again.</source>
        <translation>请关闭正在使用它的程序后再试。</translation>
    </message>
    <message>
        <source>%1 cannot be deleted (%2).</source>
        <translation>无法删除 %1（%2）。</translation>
    </message>
    <message>
        <source>The hub does not say what %1 should be.</source>
        <translation>模型库没有说明 %1 应是什么。</translation>
    </message>
    <message>
        <source>The hub lists files that cannot lie beside each other.</source>
        <translation>模型库列出的文件无法并存。</translation>
    </message>
    <message>
        <source>Check that it may be read.</source>
        <translation>请检查它是否可读。</translation>
    </message>
    <message>
        <source>Download MOSS-Audio-Tokenizer-v2 beside it, or give its folder with --codec.</source>
        <translation>请把 MOSS-Audio-Tokenizer-v2 下载到它旁边，或用 --codec 指定其文件夹。</translation>
    </message>
    <message>
        <source>Give the folder of MOSS-Audio-Tokenizer-v2.</source>
        <translation>请指定 MOSS-Audio-Tokenizer-v2 的文件夹。</translation>
    </message>
    <message>
        <source>Give the folder of MOSS-TTS-Local, or download the model again.</source>
        <translation>请指定 MOSS-TTS-Local 的文件夹，或重新下载模型。</translation>
    </message>
    <message>
        <source>Give the folder of MOSS-TTS-Local.</source>
        <translation>请指定 MOSS-TTS-Local 的文件夹。</translation>
    </message>
    <message>
        <source>Give the folder that holds card.json, or config.json and its weights.</source>
        <translation>请指定含有 card.json，或含有 config.json 及其权重的文件夹。</translation>
    </message>
    <message>
        <source>Install the model again.</source>
        <translation>请重新安装模型。</translation>
    </message>
    <message>
        <source>The card in %1 points outside its folder (%2).</source>
        <translation>%1 中的说明卡指向其文件夹之外（%2）。</translation>
    </message>
    <message>
        <source>The codec of the model in %1 was not found.</source>
        <translation>没有找到 %1 中模型的编解码器。</translation>
    </message>
    <message>
        <source>There is no codec in %1.</source>
        <translation>%1 中没有编解码器。</translation>
    </message>
    <message>
        <source>There is no model in %1.</source>
        <translation>%1 中没有模型。</translation>
    </message>
    <message>
        <source>%1 names no architecture, so it is not of a speech model.</source>
        <translation>%1 没有写明架构，因此不属于语音模型。</translation>
    </message>
    <message>
        <source>%1 holds a codec, not a model.</source>
        <translation>%1 中是编解码器，不是模型。</translation>
    </message>
    <message>
        <source>%1 is not readable JSON (%2).</source>
        <translation>%1 不是可读的 JSON（%2）。</translation>
    </message>
    <message>
        <source>%1 is not readable JSON: it holds no object.</source>
        <translation>%1 不是可读的 JSON：其中没有对象。</translation>
    </message>
    <message>
        <source>%1 cannot be read (%2).</source>
        <translation>无法读取 %1（%2）。</translation>
    </message>
    <message>
        <source>It serves: %1.</source>
        <translation>它提供：%1。</translation>
    </message>
    <message>
        <source>“%1” has no model “%2”.</source>
        <translation>“%1”没有模型“%2”。</translation>
    </message>
    <message>
        <source>Change it and try again.</source>
        <translation>请修改后再试。</translation>
    </message>
    <message>
        <source>Change what it names and try again.</source>
        <translation>请修改它指出的内容后再试。</translation>
    </message>
    <message>
        <source>Check its address.</source>
        <translation>请检查它的地址。</translation>
    </message>
    <message>
        <source>Check the address and the model&apos;s name under Models &amp; Servers.</source>
        <translation>请在“模型与服务器”中检查地址和模型名称。</translation>
    </message>
    <message>
        <source>Check the address.</source>
        <translation>请检查地址。</translation>
    </message>
    <message>
        <source>Check the address: this may be another kind of server.</source>
        <translation>请检查地址：这可能是另一种服务器。</translation>
    </message>
    <message>
        <source>Check the server&apos;s key under Models &amp; Servers.</source>
        <translation>请在“模型与服务器”中检查服务器的密钥。</translation>
    </message>
    <message>
        <source>Choose SGLang-Omni or vLLM-Omni in the server&apos;s settings, or check the address.</source>
        <translation>请在服务器设置中选择 SGLang-Omni 或 vLLM-Omni，或检查地址。</translation>
    </message>
    <message>
        <source>Choose a shorter clip.</source>
        <translation>请选择更短的片段。</translation>
    </message>
    <message>
        <source>Give that address itself.</source>
        <translation>请直接填写那个地址。</translation>
    </message>
    <message>
        <source>It is busy or starting: try again in a while.</source>
        <translation>它正忙或正在启动：请过一会儿再试。</translation>
    </message>
    <message>
        <source>Look whether it is overloaded.</source>
        <translation>请查看它是否过载。</translation>
    </message>
    <message>
        <source>Look whether it still runs; then try again.</source>
        <translation>请查看它是否仍在运行，然后再试。</translation>
    </message>
    <message>
        <source>Look whether it still works.</source>
        <translation>请查看它是否仍在工作。</translation>
    </message>
    <message>
        <source>Look whether the server still works.</source>
        <translation>请查看服务器是否仍在工作。</translation>
    </message>
    <message>
        <source>No server answers at %1 (%2).</source>
        <translation>%1 处没有服务器回应（%2）。</translation>
    </message>
    <message>
        <source>Speak it in shorter pieces.</source>
        <translation>请分成更短的段落朗读。</translation>
    </message>
    <message>
        <source>Start it, or check its address under Models &amp; Servers.</source>
        <translation>请启动它，或在“模型与服务器”中检查它的地址。</translation>
    </message>
    <message>
        <source>The certificate of “%1” is not trusted (%2).</source>
        <translation>“%1”的证书不受信任（%2）。</translation>
    </message>
    <message>
        <source>Check it.</source>
        <translation>请检查它。</translation>
    </message>
    <message>
        <source>The server sends more sound than a line can have.</source>
        <translation>服务器发送的声音超过了一行所能有的长度。</translation>
    </message>
    <message>
        <source>Try again; the server&apos;s own log has the details.</source>
        <translation>请再试一次；详情见服务器自己的日志。</translation>
    </message>
    <message>
        <source>Turn that off in the server, or in the proxy before it.</source>
        <translation>请在服务器或其前面的代理中关闭该功能。</translation>
    </message>
    <message>
        <source>What “%1” answers is no HTTP (%2).</source>
        <translation>“%1”的回答不是 HTTP（%2）。</translation>
    </message>
    <message>
        <source>“%1” says: %2</source>
        <translation>“%1”说：%2</translation>
    </message>
    <message>
        <source>“%1” refused (HTTP %2).</source>
        <translation>“%1”拒绝了请求（HTTP %2）。</translation>
    </message>
    <message>
        <source>“%1” points to %2.</source>
        <translation>“%1”指向 %2。</translation>
    </message>
    <message>
        <source>“%1” cannot be asked (%2).</source>
        <translation>无法询问“%1”（%2）。</translation>
    </message>
    <message>
        <source>“%1” did not answer in time.</source>
        <translation>“%1”没有及时回应。</translation>
    </message>
    <message>
        <source>“%1” sent nothing for %2 s.</source>
        <translation>“%1”在 %2 秒内没有发送任何内容。</translation>
    </message>
    <message>
        <source>“%1” sends nothing more.</source>
        <translation>“%1”不再发送内容。</translation>
    </message>
    <message>
        <source>“%1” broke off in the middle (%2).</source>
        <translation>“%1”中途断开（%2）。</translation>
    </message>
    <message>
        <source>“%1” answered with %2 instead of %3.</source>
        <translation>“%1”回答的是 %2，而不是 %3。</translation>
    </message>
    <message>
        <source>“%1” answered with something that is no JSON.</source>
        <translation>“%1”的回答不是 JSON。</translation>
    </message>
    <message>
        <source>“%1” answered with far too much.</source>
        <translation>“%1”回答的内容过多。</translation>
    </message>
    <message>
        <source>“%1” answered without any sound.</source>
        <translation>“%1”的回答中没有声音。</translation>
    </message>
    <message>
        <source>“%1” does not say what kind of speech server it is.</source>
        <translation>“%1”没有说明它是哪种语音服务器。</translation>
    </message>
    <message>
        <source>“%1” left a line out of a batch.</source>
        <translation>“%1”在一批请求中漏掉了一行。</translation>
    </message>
    <message>
        <source>“%1” sent damaged sound.</source>
        <translation>“%1”发送的声音已损坏。</translation>
    </message>
    <message>
        <source>“%1” sent less sound than it had announced.</source>
        <translation>“%1”发送的声音比它声明的少。</translation>
    </message>
    <message>
        <source>“%1” sends its answers compressed (%2), which nobody asked for.</source>
        <translation>“%1”未经要求就压缩了回答（%2）。</translation>
    </message>
    <message>
        <source>“%1” goes on sending after %2 minutes of sound.</source>
        <translation>“%1”在 %2 分钟的声音之后仍在发送。</translation>
    </message>
    <message>
        <source>“%1” ended the stream without saying that it is complete.</source>
        <translation>“%1”结束了流，却没有说明它已完整。</translation>
    </message>
    <message>
        <source>“%1” ended within a sample; it was left out.</source>
        <translation>“%1”在一个采样中间结束；该采样已舍去。</translation>
    </message>
    <message>
        <source>“%1” streams in mono. Speak the line without listening to it for stereo.</source>
        <translation>“%1”以单声道传输。不试听而直接朗读该行可得到立体声。</translation>
    </message>
    <message>
        <source>“%1” takes one clip; the first was used.</source>
        <translation>“%1”只接受一个片段；已使用第一个。</translation>
    </message>
    <message>
        <source>A server takes sound, not codes.</source>
        <translation>服务器接受的是声音，而不是编码。</translation>
    </message>
    <message>
        <source>Give the clip itself.</source>
        <translation>请提供片段本身。</translation>
    </message>
    <message>
        <source>The clip is %1 s long; “%2” takes %3 to %4 s.</source>
        <translation>片段长 %1 秒；“%2”接受 %3 到 %4 秒。</translation>
    </message>
    <message>
        <source>The clip is too large for a server.</source>
        <translation>片段对服务器来说太大。</translation>
    </message>
    <message>
        <source>Speak the line again: another seed usually helps.</source>
        <translation>请再次朗读该行：换一个种子通常有用。</translation>
    </message>
    <message>
        <source>The server sent sound that is damaged.</source>
        <translation>服务器发送的声音已损坏。</translation>
    </message>
    <message>
        <source>The server&apos;s answer could not be used (%1: %2).</source>
        <translation>无法使用服务器的回答（%1：%2）。</translation>
    </message>
    <message>
        <source>Try again; its own log has the details.</source>
        <translation>请再试一次；详情见它自己的日志。</translation>
    </message>
    <message>
        <source>Try again; the log has the details.</source>
        <translation>请再试一次；详情见日志。</translation>
    </message>
    <message>
        <source>Try another seed, or shorter pieces.</source>
        <translation>请换一个种子，或使用更短的段落。</translation>
    </message>
    <message>
        <source>Try again.</source>
        <translation>请再试一次。</translation>
    </message>
    <message>
        <source>The server met an error.</source>
        <translation>服务器遇到了错误。</translation>
    </message>
    <message>
        <source>The server sends %1 bits a sample; 16 are expected.</source>
        <translation>服务器每个采样发送 %1 位；应为 16 位。</translation>
    </message>
    <message>
        <source>The server sends a stream whose %1 is “%2”.</source>
        <translation>服务器发送的流的 %1 为“%2”。</translation>
    </message>
    <message>
        <source>Update the server.</source>
        <translation>请更新服务器。</translation>
    </message>
    <message>
        <source>A speech server that speaks only in the voice of a clip; its sampling and lengths cannot be set.</source>
        <translation>只能用片段中的声音朗读的语音服务器；无法设置其采样和长度。</translation>
    </message>
    <message>
        <source>A speech server. Listening is in mono, as the server streams; lines made without listening are stereo.</source>
        <translation>语音服务器。试听为单声道，因为服务器边生成边传输；不试听而生成的行为立体声。</translation>
    </message>
    <message>
        <source>Copy it again: it is of plain letters, digits and signs.</source>
        <translation>请重新复制：它只含普通字母、数字和符号。</translation>
    </message>
    <message>
        <source>Give the server&apos;s key in its own field.</source>
        <translation>请在密钥栏中填写服务器的密钥。</translation>
    </message>
    <message>
        <source>The address holds a name or password.</source>
        <translation>地址中含有用户名或密码。</translation>
    </message>
    <message>
        <source>The key holds signs that no key has.</source>
        <translation>密钥中含有不该有的符号。</translation>
    </message>
    <message>
        <source>Write one like http://localhost:8000.</source>
        <translation>请写成类似 http://localhost:8000 的形式。</translation>
    </message>
    <message>
        <source>“%1” is no address of a server.</source>
        <translation>“%1”不是服务器的地址。</translation>
    </message>
    <message>
        <source>Check the address, or update the server.</source>
        <translation>请检查地址，或更新服务器。</translation>
    </message>
    <message>
        <source>The server sends %1 Hz, %2 channels, %3 bit, which cannot be played.</source>
        <translation>服务器发送的是 %1 Hz、%2 声道、%3 位，无法播放。</translation>
    </message>
    <message>
        <source>The server sent a WAV of a kind that is not read (format %1).</source>
        <translation>服务器发送了无法读取的 WAV（格式 %1）。</translation>
    </message>
    <message>
        <source>The server sent a WAV whose format is damaged.</source>
        <translation>服务器发送的 WAV 格式已损坏。</translation>
    </message>
    <message>
        <source>The server sent a WAV without sound.</source>
        <translation>服务器发送的 WAV 中没有声音。</translation>
    </message>
    <message>
        <source>The server sent something that is no WAV.</source>
        <translation>服务器发送的不是 WAV。</translation>
    </message>
    <message>
        <source>The server sent sound that holds values that are no numbers.</source>
        <translation>服务器发送的声音中含有非数字的值。</translation>
    </message>
    <message>
        <source>The server sent an event without end.</source>
        <translation>服务器发送的事件没有结尾。</translation>
    </message>
    <message>
        <source>The server sent events that are no text.</source>
        <translation>服务器发送的事件不是文本。</translation>
    </message>
    <message>
        <source>The download failed (%1: %2). Try again.</source>
        <translation>下载失败（%1：%2）。请再试一次。</translation>
    </message>
    <message>
        <source>“%1” is damaged: %2.</source>
        <translation>“%1”已损坏：%2。</translation>
    </message>
    <message>
        <source>“%1” is not on this machine.</source>
        <translation>“%1”不在这台电脑上。</translation>
    </message>
    <message>
        <source>Download it again under Models &amp; Servers.</source>
        <translation>请在“模型与服务器”中重新下载。</translation>
    </message>
    <message>
        <source>Download it under Models &amp; Servers.</source>
        <translation>请在“模型与服务器”中下载。</translation>
    </message>
    <message>
        <source>Servers: %1. Add one under Models &amp; Servers.</source>
        <translation>服务器：%1。请在“模型与服务器”中添加。</translation>
    </message>
    <message>
        <source>This system has no keyring that can be used, so keys of servers are kept until the studio ends and must be given again next time.</source>
        <translation>此系统没有可用的密钥环，因此服务器的密钥只保留到工作室关闭为止，下次须重新填写。</translation>
    </message>
    <message>
        <source>%1 What had come was kept. %2</source>
        <translation>%1 已收到的内容已保留。%2</translation>
    </message>
    <message>
        <source>%1 It was made with the next seed, %2.</source>
        <translation>%1 已改用下一个种子 %2 生成。</translation>
    </message>
    <message>
        <source>%1 has no text.</source>
        <translation>%1 中没有文字。</translation>
    </message>
    <message>
        <source>%1 is nested too deeply.</source>
        <translation>%1 的嵌套层次过深。</translation>
    </message>
    <message>
        <source>%1 is of a kind that cannot be imported.</source>
        <translation>%1 是无法导入的文件类型。</translation>
    </message>
    <message>
        <source>%1 makes more than %2 paragraphs or 3.9 million characters.</source>
        <translation>%1 超过了 %2 个段落或 390 万个字符。</translation>
    </message>
    <message>
        <source>Choose another file.</source>
        <translation>请选择其他文件。</translation>
    </message>
    <message>
        <source>Choose one of %1.</source>
        <translation>请选择以下类型之一：%1。</translation>
    </message>
    <message>
        <source>Convert it to .epub.</source>
        <translation>请将其转换为 .epub。</translation>
    </message>
    <message>
        <source>Cut it into parts.</source>
        <translation>请将其分成几部分。</translation>
    </message>
    <message>
        <source>It was not opened.</source>
        <translation>该文件未被打开。</translation>
    </message>
    <message>
        <source>Save it as .docx.</source>
        <translation>请将其另存为 .docx。</translation>
    </message>
    <message>
        <source>Save its text as .txt or .docx.</source>
        <translation>请将其文字另存为 .txt 或 .docx。</translation>
    </message>
    <message>
        <source>Save its text as .txt or .md.</source>
        <translation>请将其文字另存为 .txt 或 .md。</translation>
    </message>
    <message>
        <source>%1 is no Word document.</source>
        <translation>%1 不是 Word 文档。</translation>
    </message>
    <message>
        <source>%1 is larger than %2 MB.</source>
        <translation>%1 大于 %2 MB。</translation>
    </message>
    <message>
        <source>%1 is not a text.</source>
        <translation>%1 不是文本文件。</translation>
    </message>
    <message>
        <source>Check the file.</source>
        <translation>请检查该文件。</translation>
    </message>
    <message>
        <source>Choose a text, a document, a book or subtitles.</source>
        <translation>请选择文本、文档、书籍或字幕。</translation>
    </message>
    <message>
        <source>The encoding of %1 was guessed as %2; look at letters with accents.</source>
        <translation>%1 的编码猜测为 %2；请检查带变音符号的字母。</translation>
    </message>
    <message>
        <source>1 chapter of the table of contents was not found: “%1”.</source>
        <translation>目录中有 1 章未找到：“%1”。</translation>
    </message>
    <message>
        <source>%1 chapters of the table of contents were not found, among them “%2”.</source>
        <translation>目录中有 %1 章未找到，其中包括“%2”。</translation>
    </message>
    <message>
        <source>%1 does not say where its text is.</source>
        <translation>%1 没有说明正文所在的位置。</translation>
    </message>
    <message>
        <source>1 file of the book is missing in it.</source>
        <translation>书中缺少 1 个文件。</translation>
    </message>
    <message>
        <source>%1 files of the book are missing in it.</source>
        <translation>书中缺少 %1 个文件。</translation>
    </message>
    <message>
        <source>%1 has no text, only pictures or headings.</source>
        <translation>%1 没有正文，只有图片或标题。</translation>
    </message>
    <message>
        <source>%1 is no EPUB book.</source>
        <translation>%1 不是 EPUB 电子书。</translation>
    </message>
    <message>
        <source>%1 is protected against copying.</source>
        <translation>%1 带有复制保护。</translation>
    </message>
    <message>
        <source>Choose an edition with text.</source>
        <translation>请选择含有正文的版本。</translation>
    </message>
    <message>
        <source>Choose an edition without protection.</source>
        <translation>请选择没有复制保护的版本。</translation>
    </message>
    <message>
        <source>Open and save it again.</source>
        <translation>请重新打开并保存一次。</translation>
    </message>
    <message>
        <source>The book has no table of contents; its headings became chapters.</source>
        <translation>该书没有目录；各级标题已成为章。</translation>
    </message>
    <message>
        <source>A paragraph is too long or has too many marks for Markdown, so the file was read as plain text.</source>
        <translation>有一个段落过长，或 Markdown 标记过多，因此该文件按纯文本读取。</translation>
    </message>
    <message>
        <source>The import was cancelled.</source>
        <translation>导入已取消。</translation>
    </message>
    <message>
        <source>The text is longer than 3.9 million characters.</source>
        <translation>文字超过了 390 万个字符。</translation>
    </message>
    <message>
        <source>1 cue begins before the one before has ended; they are spoken one after the other.</source>
        <translation>有 1 条字幕在前一条结束之前开始；它们将依次朗读。</translation>
    </message>
    <message>
        <source>%1 cues begin before the one before has ended; they are spoken one after the other.</source>
        <translation>有 %1 条字幕在前一条结束之前开始；它们将依次朗读。</translation>
    </message>
    <message>
        <source>1 cue stands for more than ten minutes; its line has no length of its own.</source>
        <translation>有 1 条字幕的显示时间超过十分钟；对应的行不设时长。</translation>
    </message>
    <message>
        <source>%1 cues stand for more than ten minutes; their lines have no length of their own.</source>
        <translation>有 %1 条字幕的显示时间超过十分钟；对应的行不设时长。</translation>
    </message>
    <message>
        <source>%1 has no subtitles that could be read.</source>
        <translation>%1 中没有可读取的字幕。</translation>
    </message>
    <message>
        <source>Check that it is an SRT or WebVTT file.</source>
        <translation>请确认它是 SRT 或 WebVTT 文件。</translation>
    </message>
    <message>
        <source>The cues were not in the order of time; they are now.</source>
        <translation>字幕原先未按时间排列；现已按时间排好。</translation>
    </message>
    <message>
        <source>%1 cannot be understood (%2).</source>
        <translation>%1 无法解析（%2）。</translation>
    </message>
    <message>
        <source>%1 defines entities, which can hide any amount of data.</source>
        <translation>%1 定义了实体，其中可能隐藏任意多的数据。</translation>
    </message>
    <message>
        <source>%1 has more than %2 parts.</source>
        <translation>%1 的组成部分超过 %2 个。</translation>
    </message>
    <message>
        <source>%1 is damaged in its part %2.</source>
        <translation>%1 的 %2 部分已损坏。</translation>
    </message>
    <message>
        <source>%1 is damaged or not what its name says (%2).</source>
        <translation>%1 已损坏，或与其文件名不符（%2）。</translation>
    </message>
    <message>
        <source>%1 is larger than 1 GB.</source>
        <translation>%1 大于 1 GB。</translation>
    </message>
    <message>
        <source>%1 is nested or divided beyond any real document.</source>
        <translation>%1 的嵌套或拆分超出了任何真实文档的程度。</translation>
    </message>
    <message>
        <source>%1 is packed as no document is.</source>
        <translation>%1 的压缩方式与任何文档都不同。</translation>
    </message>
    <message>
        <source>%1 is protected by a password.</source>
        <translation>%1 受密码保护。</translation>
    </message>
    <message>
        <source>%1 lacks its part %2.</source>
        <translation>%1 缺少 %2 部分。</translation>
    </message>
    <message>
        <source>%1 unpacks to far more than a text could be.</source>
        <translation>%1 解压后远远超过正常文本的大小。</translation>
    </message>
    <message>
        <source>Save it without one.</source>
        <translation>请另存为不带密码的文件。</translation>
    </message>
    <message>
        <source>Install or download the model again.</source>
        <translation>请重新安装或下载模型。</translation>
    </message>
    <message>
        <source>Choose the folder of a model of that architecture.</source>
        <translation>请选择该架构的模型文件夹。</translation>
    </message>
    <message>
        <source>Choose a MOSS-Audio-Tokenizer checkpoint, or download it again.</source>
        <translation>请选择 MOSS-Audio-Tokenizer 的检查点，或重新下载。</translation>
    </message>
    <message>
        <source>Choose the codec that belongs to the model.</source>
        <translation>请选择与模型配套的编解码器。</translation>
    </message>
    <message>
        <source>Give the codec that was published with it: MOSS-Audio-Tokenizer-v2.</source>
        <translation>请指定与它一同发布的编解码器：MOSS-Audio-Tokenizer-v2。</translation>
    </message>
    <message>
        <source>The codec in %1 does not belong to the model in %2, which needs %3.</source>
        <translation>%1 中的编解码器不属于 %2 中的模型，该模型需要 %3。</translation>
    </message>
    <message>
        <source>This codec has %1 codebooks; %2 were asked for.</source>
        <translation>此编解码器有 %1 个码本，而需要 %2 个。</translation>
    </message>
    <message>
        <source>%1 does not describe a codec that can be run here: %2.</source>
        <translation>%1 描述的编解码器无法在此运行：%2。</translation>
    </message>
    <message>
        <source>%1 does not say %2.</source>
        <translation>%1 中没有写明 %2。</translation>
    </message>
    <message>
        <source>%1 is of the architecture %2, which is not known here.</source>
        <translation>%1 的架构是 %2，此处不认识。</translation>
    </message>
    <message>
        <source>%1 is of the architecture %2; %3 is needed here.</source>
        <translation>%1 的架构是 %2，而此处需要 %3。</translation>
    </message>
    <message>
        <source>%1 holds no tokenizer (%2).</source>
        <translation>%1 中没有分词器（%2）。</translation>
    </message>
    <message>
        <source>%1 holds no tokenizer that can be read (%2).</source>
        <translation>%1 中没有可读取的分词器（%2）。</translation>
    </message>
    <message>
        <source>The tokenizer in %1 cannot be read (%2).</source>
        <translation>无法读取 %1 中的分词器（%2）。</translation>
    </message>
    <message>
        <source>The tokenizer in %1 is another model&apos;s: %2 %3 is the ordinary token %4 there.</source>
        <translation>%1 中的分词器属于另一个模型：%2 %3 在那里是普通词元 %4。</translation>
    </message>
    <message>
        <source>The tokenizer in %1 is another model&apos;s: %2 is %3 (%4), the tokenizer %5.</source>
        <translation>%1 中的分词器属于另一个模型：%2 是 %3（%4），而分词器%5。</translation>
    </message>
    <message>
        <source>has no such token</source>
        <translation>没有这个词元</translation>
    </message>
    <message>
        <source>has it as %1</source>
        <translation>中是 %1</translation>
    </message>
    <message>
        <source>The tokenizer in %1 is another model&apos;s: its ids reach %2, the model has %3.</source>
        <translation>%1 中的分词器属于另一个模型：它的编号到 %2，而模型有 %3 个。</translation>
    </message>
    <message>
        <source>The tokenizer in %1 is damaged: it has no tokens for words.</source>
        <translation>%1 中的分词器已损坏：没有单词的词元。</translation>
    </message>
    <message>
        <source>%1 cannot be read: its header is damaged (%2).</source>
        <translation>无法读取 %1：文件头已损坏（%2）。</translation>
    </message>
    <message>
        <source>%1 cannot be read: its header is damaged.</source>
        <translation>无法读取 %1：文件头已损坏。</translation>
    </message>
    <message>
        <source>%1: the entry of %2 in the header is damaged.</source>
        <translation>%1：文件头中 %2 的条目已损坏。</translation>
    </message>
    <message>
        <source>%1 does not hold %2, which the index places there.</source>
        <translation>%1 中没有索引所指的 %2。</translation>
    </message>
    <message>
        <source>%1 has no weight_map.</source>
        <translation>%1 中没有 weight_map。</translation>
    </message>
    <message>
        <source>%1 holds %2, unknown to this architecture.</source>
        <translation>%1 中有此架构不认识的 %2。</translation>
    </message>
    <message>
        <source>%1 holds no model.safetensors.</source>
        <translation>%1 中没有 model.safetensors。</translation>
    </message>
    <message>
        <source>%1 is missing.</source>
        <translation>缺少 %1。</translation>
    </message>
    <message>
        <source>%1 is not a JSON object.</source>
        <translation>%1 不是 JSON 对象。</translation>
    </message>
    <message>
        <source>%1 is stored twice: in %2 and in %3.</source>
        <translation>%1 存储了两次：在 %2 和 %3 中。</translation>
    </message>
    <message>
        <source>%1 is truncated or no safetensors file: its header is not whole.</source>
        <translation>%1 被截断或不是 safetensors 文件：文件头不完整。</translation>
    </message>
    <message>
        <source>%1 is truncated: it ends before the end of %2.</source>
        <translation>%1 被截断：它在 %2 结束之前就结束了。</translation>
    </message>
    <message>
        <source>%1 lacks %2.</source>
        <translation>%1 缺少 %2。</translation>
    </message>
    <message>
        <source>%1 places %2 in %3, which is not a file beside it.</source>
        <translation>%1 把 %2 放在 %3 中，而它不是同一文件夹中的文件。</translation>
    </message>
    <message>
        <source>%1: %2 has %3 bytes, which does not fit %4.</source>
        <translation>%1：%2 有 %3 字节，与 %4 不符。</translation>
    </message>
    <message>
        <source>%1: %2 has the shape %3; config.json makes it %4.</source>
        <translation>%1：%2 的形状是 %3，而按 config.json 应为 %4。</translation>
    </message>
    <message>
        <source>%1: %2 is stored as %3.</source>
        <translation>%1：%2 以 %3 存储。</translation>
    </message>
    <message>
        <source>float32, bfloat16 and float16 can be read.</source>
        <translation>可以读取 float32、bfloat16 和 float16。</translation>
    </message>
    <message>
        <source>There is no device %1.</source>
        <translation>没有设备 %1。</translation>
    </message>
    <message>
        <source>There is no precision %1.</source>
        <translation>没有精度 %1。</translation>
    </message>
    <message>
        <source>There is no Apple GPU that this build of torch can use.</source>
        <translation>没有此版本的 torch 可以使用的 Apple GPU。</translation>
    </message>
    <message>
        <source>There is no CUDA device %1 that this build of torch can use.</source>
        <translation>没有此版本的 torch 可以使用的 CUDA 设备 %1。</translation>
    </message>
    <message>
        <source>Choose cpu.</source>
        <translation>请选择 cpu。</translation>
    </message>
    <message>
        <source>Choose auto, cpu, cuda, cuda:1, or cuda:0+cuda:1 for the codec on a second card.</source>
        <translation>请选择 auto、cpu、cuda、cuda:1，或用 cuda:0+cuda:1 把编解码器放在第二块显卡上。</translation>
    </message>
    <message>
        <source>Choose cpu, or install a driver and a build of torch that fit the card.</source>
        <translation>请选择 cpu，或安装适合该显卡的驱动和 torch 版本。</translation>
    </message>
    <message>
        <source>This build of torch lacks what speech needs on an Apple GPU (%1).</source>
        <translation>此版本的 torch 缺少在 Apple GPU 上生成语音所需的功能（%1）。</translation>
    </message>
    <message>
        <source>A CPU does not compute in %1 at a useful speed.</source>
        <translation>CPU 以 %1 计算太慢，无法使用。</translation>
    </message>
    <message>
        <source>An Apple GPU is not run in %1 here.</source>
        <translation>此处的 Apple GPU 不以 %1 运行。</translation>
    </message>
    <message>
        <source>This card does not compute in bf16.</source>
        <translation>此显卡不能以 bf16 计算。</translation>
    </message>
    <message>
        <source>This card does not read fp8.</source>
        <translation>此显卡不能读取 fp8。</translation>
    </message>
    <message>
        <source>Choose fp16 or fp32.</source>
        <translation>请选择 fp16 或 fp32。</translation>
    </message>
    <message>
        <source>Choose fp32 or bf16.</source>
        <translation>请选择 fp32 或 bf16。</translation>
    </message>
    <message>
        <source>Choose fp32 or fp16.</source>
        <translation>请选择 fp32 或 fp16。</translation>
    </message>
    <message>
        <source>Choose int8: it takes as little and is closer to bf16.</source>
        <translation>请选择 int8：占用同样少，而且更接近 bf16。</translation>
    </message>
    <message>
        <source>Choose precision bf16 or fp16.</source>
        <translation>请选择精度 bf16 或 fp16。</translation>
    </message>
    <message>
        <source>Choose precision bf16, fp16 or fp32.</source>
        <translation>请选择精度 bf16、fp16 或 fp32。</translation>
    </message>
    <message>
        <source>Choose precision int8.</source>
        <translation>请选择精度 int8。</translation>
    </message>
    <message>
        <source>Choose precision %1: %2.</source>
        <translation>请选择精度 %1：%2。</translation>
    </message>
    <message>
        <source>Choose precision bf16: it needs %1 GB.</source>
        <translation>请选择精度 bf16：它需要 %1 GB。</translation>
    </message>
    <message>
        <source>int4 needs widths that are multiples of 128; this model has others.</source>
        <translation>int4 要求宽度为 128 的倍数，而此模型不是。</translation>
    </message>
    <message>
        <source>%1 does not run on this card (%2).</source>
        <translation>%1 无法在此显卡上运行（%2）。</translation>
    </message>
    <message>
        <source>%1 needs kernels that do not run here: %2.</source>
        <translation>%1 需要的内核无法在此运行：%2。</translation>
    </message>
    <message>
        <source>Triton is not installed</source>
        <translation>没有安装 Triton</translation>
    </message>
    <message>
        <source>Speech is made by plain operations, slower: the kernels do not serve here (%1).</source>
        <translation>语音以普通运算生成，速度较慢：内核在此不可用（%1）。</translation>
    </message>
    <message>
        <source>%1 by plain operations, slower: the kernels failed (%2).</source>
        <translation>%1以普通运算进行，速度较慢：内核失败（%2）。</translation>
    </message>
    <message>
        <source>Frames are made</source>
        <translation>帧的生成</translation>
    </message>
    <message>
        <source>Audio is decoded</source>
        <translation>音频的解码</translation>
    </message>
    <message>
        <source>The card has no room for more: %1.</source>
        <translation>显卡没有更多空间：%1。</translation>
    </message>
    <message>
        <source>The graphics card has less room than it said.</source>
        <translation>显卡的可用空间比它报告的少。</translation>
    </message>
    <message>
        <source>Close programs that use it, or choose precision int8.</source>
        <translation>请关闭使用它的程序，或选择精度 int8。</translation>
    </message>
    <message>
        <source>The model needs %1 GB on the graphics card; %2 GB can be used.</source>
        <translation>模型需要 %1 GB 显存，而可用的有 %2 GB。</translation>
    </message>
    <message>
        <source>Choose a model that is smaller; the least this one takes is %1 GB.</source>
        <translation>请选择更小的模型；此模型至少需要 %1 GB。</translation>
    </message>
    <message>
        <source>“%1” needs about %2 GB in %3 on %4; %5 GB are free.</source>
        <translation>“%1”在 %4 上以 %3 运行约需 %2 GB，而可用的有 %5 GB。</translation>
    </message>
    <message>
        <source>Choose the device cpu, close programs that use the card, or choose the starter.</source>
        <translation>请选择设备 cpu、关闭使用显卡的程序，或选择入门模型。</translation>
    </message>
    <message>
        <source>Close other programs, or choose the starter, which runs anywhere.</source>
        <translation>请关闭其他程序，或选择在任何机器上都能运行的入门模型。</translation>
    </message>
    <message>
        <source>The device has no room left for a text of this length.</source>
        <translation>设备没有空间容纳这样长的文本。</translation>
    </message>
    <message>
        <source>The text with its audio is longer than the model can hold (%1 rows).</source>
        <translation>文本连同音频超过了模型所能容纳的长度（%1 行）。</translation>
    </message>
    <message>
        <source>Split the text.</source>
        <translation>请拆分文本。</translation>
    </message>
    <message>
        <source>Wait for other blocks to finish, or split it.</source>
        <translation>请等待其他段落完成，或拆分它。</translation>
    </message>
    <message>
        <source>No audio came within %1 s.</source>
        <translation>%1 秒内没有收到音频。</translation>
    </message>
    <message>
        <source>The speech was not finished within %1 s.</source>
        <translation>语音没有在 %1 秒内完成。</translation>
    </message>
    <message>
        <source>%1, %2 at once, room for %3 min of speech, %4: %5 of %6 GB</source>
        <translation>%1，同时 %2 路，可容纳 %3 分钟语音，%4：%6 GB 中的 %5 GB</translation>
    </message>
    <message>
        <source>codec on the card</source>
        <translation>编解码器在显卡上</translation>
    </message>
    <message>
        <source>codec on the processor</source>
        <translation>编解码器在处理器上</translation>
    </message>
    <message>
        <source>clips encoded on the processor</source>
        <translation>片段在处理器上编码</translation>
    </message>
    <message>
        <source>%1 at once instead of %2</source>
        <translation>同时 %1 路，而不是 %2 路</translation>
    </message>
    <message>
        <source>clips are encoded on the processor</source>
        <translation>片段在处理器上编码</translation>
    </message>
    <message>
        <source>audio is decoded on the processor</source>
        <translation>音频在处理器上解码</translation>
    </message>
    <message>
        <source>weights in %1</source>
        <translation>权重为 %1</translation>
    </message>
    <message>
        <source>“%1” speaks only in its own voices (%2) and cannot learn another from a clip.</source>
        <translation>“%1”只用自己的声音（%2）朗读，不能从片段学习其他声音。</translation>
    </message>
    <message>
        <source>no reason</source>
        <translation>未说明原因</translation>
    </message>
    <message>
        <source>something unnamed</source>
        <translation>未命名的内容</translation>
    </message>
    <message>
        <source>%1 is missing</source>
        <translation>缺少 %1</translation>
    </message>
    <message>
        <source>field %1 is missing</source>
        <translation>缺少字段 %1</translation>
    </message>
    <message>
        <source>The model card %1</source>
        <translation>模型卡片 %1</translation>
    </message>
    <message>
        <source>The model&apos;s list of voices %1</source>
        <translation>模型的声音列表 %1</translation>
    </message>
    <message>
        <source>it is not UTF-8</source>
        <translation>不是 UTF-8 编码</translation>
    </message>
    <message>
        <source>The clip</source>
        <translation>片段</translation>
    </message>
    <message>
        <source>%1 Hz, %2 samples a frame, %3 codebooks</source>
        <translation>%1 Hz，每帧 %2 个样本，%3 个码本</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2.</source>
        <translation>无法读取%1：%2。</translation>
    </message>
    <message>
        <source>%1 must be %2.</source>
        <translation>%1必须是%2。</translation>
    </message>
    <message>
        <source>text of at most %1 characters</source>
        <translation>最多 %1 个字符的文本</translation>
    </message>
    <message>
        <source>an identifier</source>
        <translation>标识符</translation>
    </message>
    <message>
        <source>a SHA-256 in hexadecimal</source>
        <translation>十六进制的 SHA-256</translation>
    </message>
    <message>
        <source>a number from %1 to %2</source>
        <translation>%1 到 %2 之间的数</translation>
    </message>
    <message>
        <source>a whole number from %1 to %2</source>
        <translation>%1 到 %2 之间的整数</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true 或 false</translation>
    </message>
    <message>
        <source>one of %1</source>
        <translation>以下之一：%1</translation>
    </message>
    <message>
        <source>a list of at most %1 entries</source>
        <translation>最多 %1 项的列表</translation>
    </message>
    <message>
        <source>named values, at most %1</source>
        <translation>带名称的值，最多 %1 个</translation>
    </message>
    <message>
        <source>a smaller value</source>
        <translation>更小的值</translation>
    </message>
    <message>
        <source>plain text, numbers and lists</source>
        <translation>纯文本、数字和列表</translation>
    </message>
    <message>
        <source>JSON of at most %1 bytes</source>
        <translation>最多 %1 字节的 JSON</translation>
    </message>
    <message>
        <source>A block has no setting called %1.</source>
        <translation>行没有名为 %1 的设置。</translation>
    </message>
    <message>
        <source>Two blocks cannot have one id.</source>
        <translation>两行不能有相同的标识。</translation>
    </message>
    <message>
        <source>Paste it as plain text.</source>
        <translation>请作为纯文本粘贴。</translation>
    </message>
    <message>
        <source>What was copied comes from another version of the studio.</source>
        <translation>复制的内容来自程序的其他版本。</translation>
    </message>
    <message>
        <source>An edit is nested too deeply.</source>
        <translation>编辑步骤嵌套过深。</translation>
    </message>
    <message>
        <source>This edit was made by a later version of the studio.</source>
        <translation>该编辑步骤由更新版本的程序创建。</translation>
    </message>
    <message>
        <source>A line cannot hold a line end.</source>
        <translation>一行中不能含有换行符。</translation>
    </message>
    <message>
        <source>Settings must come with the id of a block.</source>
        <translation>设置必须带有行的标识。</translation>
    </message>
    <message>
        <source>The text to be replaced is not there any more.</source>
        <translation>要替换的文本已不存在。</translation>
    </message>
    <message>
        <source>The text to be replaced is not what it was.</source>
        <translation>要替换的文本已经改变。</translation>
    </message>
    <message>
        <source>These paragraphs are not there any more.</source>
        <translation>这些段落已不存在。</translation>
    </message>
    <message>
        <source>This paragraph is not there any more.</source>
        <translation>该段落已不存在。</translation>
    </message>
    <message>
        <source>This take is not there any more.</source>
        <translation>该录音已不存在。</translation>
    </message>
    <message>
        <source>This voice is not there any more.</source>
        <translation>该声音已不存在。</translation>
    </message>
    <message>
        <source>The script stays as it is.</source>
        <translation>文稿保持原样。</translation>
    </message>
    <message>
        <source>The steps before this cannot be taken back.</source>
        <translation>在此之前的步骤无法撤销。</translation>
    </message>
    <message>
        <source>A script has at least one paragraph.</source>
        <translation>文稿至少有一个段落。</translation>
    </message>
    <message>
        <source>A script has at most %1 paragraphs and %2 million characters, %3 million of them in one paragraph.</source>
        <translation>文稿最多有 %1 个段落和 %2 百万个字符，其中单个段落最多 %3 百万个。</translation>
    </message>
    <message>
        <source>A take cannot move to another paragraph.</source>
        <translation>录音不能移到其他段落。</translation>
    </message>
    <message>
        <source>Divide it into several projects.</source>
        <translation>请分成几个项目。</translation>
    </message>
    <message>
        <source>A project has no setting called %1.</source>
        <translation>项目没有名为 %1 的设置。</translation>
    </message>
    <message>
        <source>An entry of the lexicon must be two texts.</source>
        <translation>读音表的每一项必须是两段文本。</translation>
    </message>
    <message>
        <source>The colour of a voice must look like #7a8ca8.</source>
        <translation>声音的颜色必须形如 #7a8ca8。</translation>
    </message>
    <message>
        <source>The file name of a clip must be a plain name without a folder.</source>
        <translation>片段的文件名必须是不含文件夹的普通名称。</translation>
    </message>
    <message>
        <source>A block</source>
        <translation>行</translation>
    </message>
    <message>
        <source>A cached take</source>
        <translation>缓存的录音</translation>
    </message>
    <message>
        <source>A clip</source>
        <translation>片段</translation>
    </message>
    <message>
        <source>A command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>A count</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>A line</source>
        <translation>行</translation>
    </message>
    <message>
        <source>A paragraph</source>
        <translation>段落</translation>
    </message>
    <message>
        <source>A piece of a take</source>
        <translation>录音的一段</translation>
    </message>
    <message>
        <source>A piece</source>
        <translation>一段</translation>
    </message>
    <message>
        <source>A place</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>A position</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>A snapshot</source>
        <translation>较早的版本</translation>
    </message>
    <message>
        <source>A spoken form</source>
        <translation>读法</translation>
    </message>
    <message>
        <source>A tag</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>A take</source>
        <translation>录音</translation>
    </message>
    <message>
        <source>A voice</source>
        <translation>声音</translation>
    </message>
    <message>
        <source>A step</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>The version of the record (a newer studio may have written it)</source>
        <translation>记录的版本（可能由更新的程序写入）</translation>
    </message>
    <message>
        <source>A warning of a take</source>
        <translation>录音的警告</translation>
    </message>
    <message>
        <source>A written form</source>
        <translation>写法</translation>
    </message>
    <message>
        <source>An entry of the lexicon</source>
        <translation>读音表的一项</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>各行</translation>
    </message>
    <message>
        <source>Changes</source>
        <translation>更改</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>各命令</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Ids</source>
        <translation>各标识</translation>
    </message>
    <message>
        <source>Inserted text</source>
        <translation>插入的文本</translation>
    </message>
    <message>
        <source>Lines</source>
        <translation>各行</translation>
    </message>
    <message>
        <source>Removed text</source>
        <translation>删除的文本</translation>
    </message>
    <message>
        <source>The block of a take</source>
        <translation>录音所属的行</translation>
    </message>
    <message>
        <source>The chosen take</source>
        <translation>所选的录音</translation>
    </message>
    <message>
        <source>The colour of a voice</source>
        <translation>声音的颜色</translation>
    </message>
    <message>
        <source>The consent</source>
        <translation>同意声明</translation>
    </message>
    <message>
        <source>The content of a clip</source>
        <translation>片段的内容</translation>
    </message>
    <message>
        <source>The end of a clip</source>
        <translation>片段的终点</translation>
    </message>
    <message>
        <source>The end of a take</source>
        <translation>录音结束的原因</translation>
    </message>
    <message>
        <source>The figures of a take</source>
        <translation>录音的数据</translation>
    </message>
    <message>
        <source>The file name of a clip</source>
        <translation>片段的文件名</translation>
    </message>
    <message>
        <source>The id of a block</source>
        <translation>行的标识</translation>
    </message>
    <message>
        <source>The id of a take</source>
        <translation>录音的标识</translation>
    </message>
    <message>
        <source>The id of a voice</source>
        <translation>声音的标识</translation>
    </message>
    <message>
        <source>The key of a take</source>
        <translation>录音的键</translation>
    </message>
    <message>
        <source>The known voice</source>
        <translation>已知的声音</translation>
    </message>
    <message>
        <source>The language of a clip</source>
        <translation>片段的语言</translation>
    </message>
    <message>
        <source>The length of a take</source>
        <translation>录音的长度</translation>
    </message>
    <message>
        <source>The lexicon</source>
        <translation>读音表</translation>
    </message>
    <message>
        <source>The lines to make</source>
        <translation>要生成的行</translation>
    </message>
    <message>
        <source>The name of a step</source>
        <translation>步骤的名称</translation>
    </message>
    <message>
        <source>The name of a voice</source>
        <translation>声音的名称</translation>
    </message>
    <message>
        <source>The paragraphs of a snapshot</source>
        <translation>较早版本的段落</translation>
    </message>
    <message>
        <source>The pauses of a project</source>
        <translation>项目的停顿</translation>
    </message>
    <message>
        <source>The pieces of a take</source>
        <translation>录音的各段</translation>
    </message>
    <message>
        <source>The place of a block</source>
        <translation>行的位置</translation>
    </message>
    <message>
        <source>The record</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>The seed of a take</source>
        <translation>录音的种子</translation>
    </message>
    <message>
        <source>The settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>The settings of a block</source>
        <translation>行的设置</translation>
    </message>
    <message>
        <source>The settings of a project</source>
        <translation>项目的设置</translation>
    </message>
    <message>
        <source>The settings of a take</source>
        <translation>录音的设置</translation>
    </message>
    <message>
        <source>The start of a clip</source>
        <translation>片段的起点</translation>
    </message>
    <message>
        <source>The state of a take</source>
        <translation>录音的状态</translation>
    </message>
    <message>
        <source>The text of a block</source>
        <translation>行的文本</translation>
    </message>
    <message>
        <source>The text of a paragraph</source>
        <translation>段落的文本</translation>
    </message>
    <message>
        <source>The text of a take</source>
        <translation>录音的文本</translation>
    </message>
    <message>
        <source>The time of a take</source>
        <translation>录音的时间</translation>
    </message>
    <message>
        <source>The time of a voice</source>
        <translation>声音的时间</translation>
    </message>
    <message>
        <source>The transcript of a clip</source>
        <translation>片段的文字</translation>
    </message>
    <message>
        <source>The type of a command</source>
        <translation>命令的类型</translation>
    </message>
    <message>
        <source>The voices of a snapshot</source>
        <translation>较早版本的声音</translation>
    </message>
    <message>
        <source>What was copied</source>
        <translation>复制的内容</translation>
    </message>
    <message>
        <source>The words of a snapshot</source>
        <translation>较早版本的词数</translation>
    </message>
    <message>
        <source>%1 cannot be written in %2: it is write-protected.</source>
        <translation>无法在 %2 中写入 %1：该处有写保护。</translation>
    </message>
    <message>
        <source>%1 could not be written (%2).</source>
        <translation>无法写入 %1（%2）。</translation>
    </message>
    <message>
        <source>%1 was written but reads back differently (%2).</source>
        <translation>%1 已写入，但读回的内容不同（%2）。</translation>
    </message>
    <message>
        <source>%1 samples of %2</source>
        <translation>%2 个样本中只有 %1 个</translation>
    </message>
    <message>
        <source>%1 s of %2 s</source>
        <translation>%2 秒中只有 %1 秒</translation>
    </message>
    <message>
        <source>other samples</source>
        <translation>样本不同</translation>
    </message>
    <message>
        <source>other channels</source>
        <translation>声道不同</translation>
    </message>
    <message>
        <source>%1 cannot be written.</source>
        <translation>无法写入 %1。</translation>
    </message>
    <message>
        <source>Choose one of: %1.</source>
        <translation>请选择以下之一：%1。</translation>
    </message>
    <message>
        <source>End it in %1.</source>
        <translation>请以 %1 之一结尾。</translation>
    </message>
    <message>
        <source>Use %1.</source>
        <translation>请使用 %1。</translation>
    </message>
    <message>
        <source>“%1” does not say what kind of file it shall be.</source>
        <translation>从“%1”看不出文件类型。</translation>
    </message>
    <message>
        <source>“%1” is no format that can be written.</source>
        <translation>“%1”不是可写入的格式。</translation>
    </message>
    <message>
        <source>Choose a JPEG or PNG picture of at most 20 MB.</source>
        <translation>请选择不超过 20 MB 的 JPEG 或 PNG 图片。</translation>
    </message>
    <message>
        <source>The cover %1 cannot be read as a picture.</source>
        <translation>无法将封面 %1 作为图片读取。</translation>
    </message>
    <message>
        <source>The cover %1 is larger than 20 MB.</source>
        <translation>封面 %1 大于 20 MB。</translation>
    </message>
    <message>
        <source>The name template has a bracket too many.</source>
        <translation>名称模板多了一个括号。</translation>
    </message>
    <message>
        <source>The name template has no field called {%1}.</source>
        <translation>名称模板没有名为 {%1} 的字段。</translation>
    </message>
    <message>
        <source>Write fields like %1.</source>
        <translation>请把字段写成 %1 的形式。</translation>
    </message>
    <message>
        <source>One line is not ready to be exported:</source>
        <translation>有一行尚不能导出：</translation>
    </message>
    <message>
        <source>%1 lines are not ready to be exported:</source>
        <translation>有 %1 行尚不能导出：</translation>
    </message>
    <message>
        <source>The export was cancelled; no file was written.</source>
        <translation>导出已取消；没有写入任何文件。</translation>
    </message>
    <message>
        <source>not spoken yet</source>
        <translation>尚未朗读</translation>
    </message>
    <message>
        <source>still being spoken</source>
        <translation>仍在朗读</translation>
    </message>
    <message>
        <source>changed since it was spoken</source>
        <translation>朗读后有改动</translation>
    </message>
    <message>
        <source>ended before its text did</source>
        <translation>在文本结束前就停止了</translation>
    </message>
    <message>
        <source>could not be spoken</source>
        <translation>无法朗读</translation>
    </message>
    <message>
        <source>may not be what the text says</source>
        <translation>可能与文本不符</translation>
    </message>
    <message>
        <source>has words that this model cannot read</source>
        <translation>含有该模型读不了的词语</translation>
    </message>
    <message>
        <source>ACX takes MP3 at 44.1 kHz with 192 kbit/s or more</source>
        <translation>ACX 要求 44.1 kHz、192 kbit/s 或以上的 MP3</translation>
    </message>
    <message>
        <source>ACX takes one file a chapter</source>
        <translation>ACX 要求每章一个文件</translation>
    </message>
    <message>
        <source>loudness is %1 LUFS instead of %2</source>
        <translation>响度为 %1 LUFS，而不是 %2</translation>
    </message>
    <message>
        <source>RMS is %1 dB, must be between −23 and −18 dB</source>
        <translation>RMS 为 %1 dB，必须在 −23 到 −18 dB 之间</translation>
    </message>
    <message>
        <source>noise floor is %1 dB, must be at most −60 dB</source>
        <translation>底噪为 %1 dB，不得高于 −60 dB</translation>
    </message>
    <message>
        <source>peak is %1 dB, must be at most −3 dB</source>
        <translation>峰值为 %1 dB，不得高于 −3 dB</translation>
    </message>
    <message>
        <source>Use one of %1 (LUFS), acx, or off.</source>
        <translation>请使用 %1（LUFS）、acx 或 off 之一。</translation>
    </message>
    <message>
        <source>“%1” is no loudness that can be asked for.</source>
        <translation>“%1”不是可用的响度值。</translation>
    </message>
    <message>
        <source>Make room, or choose another disk or folder.</source>
        <translation>请腾出空间，或选择其他磁盘或文件夹。</translation>
    </message>
    <message>
        <source>%1 is no folder.</source>
        <translation>%1 不是文件夹。</translation>
    </message>
    <message>
        <source>Choose another file, or change its permissions.</source>
        <translation>请选择其他文件，或更改其权限。</translation>
    </message>
    <message>
        <source>Give the name of a file.</source>
        <translation>请给出文件名。</translation>
    </message>
    <message>
        <source>Name the file with one of %1.</source>
        <translation>请让文件名以 %1 之一结尾。</translation>
    </message>
    <message>
        <source>The audio could not be written to %1 (%2).</source>
        <translation>无法将音频写入 %1（%2）。</translation>
    </message>
    <message>
        <source>There is no audio format %1.</source>
        <translation>没有音频格式 %1。</translation>
    </message>
    <message>
        <source>the system refused</source>
        <translation>被系统拒绝</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>磁盘已满</translation>
    </message>
    <message>
        <source>%1 channels</source>
        <translation>%1 个声道</translation>
    </message>
    <message>
        <source>%1 can only be read here. Save it under another name to keep changes.</source>
        <translation>%1 在这里只能读取。若要保留更改，请用其他名称保存。</translation>
    </message>
    <message>
        <source>%1 cannot be opened (%2).</source>
        <translation>无法打开 %1（%2）。</translation>
    </message>
    <message>
        <source>The path %1 is too long for a project.</source>
        <translation>路径 %1 对项目来说太长。</translation>
    </message>
    <message>
        <source>Put it into a folder whose path is shorter.</source>
        <translation>请放到路径较短的文件夹中。</translation>
    </message>
    <message>
        <source>Give the file a shorter name, then open it again.</source>
        <translation>请给文件取一个短一些的名称，然后重新打开。</translation>
    </message>
    <message>
        <source>Save the project under a shorter name.</source>
        <translation>请用短一些的名称保存项目。</translation>
    </message>
    <message>
        <source>%1 was of an older version and is of this one now.</source>
        <translation>%1 原为旧版本的文件，现已更新到此版本。</translation>
    </message>
    <message>
        <source>%1 exists already.</source>
        <translation>%1 已经存在。</translation>
    </message>
    <message>
        <source>%1 is damaged (%2).</source>
        <translation>%1 已损坏（%2）。</translation>
    </message>
    <message>
        <source>%1 is damaged.</source>
        <translation>%1 已损坏。</translation>
    </message>
    <message>
        <source>%1 is damaged: %2</source>
        <translation>%1 已损坏：%2</translation>
    </message>
    <message>
        <source>%1 is of an older version, and there is no room for a copy of it (%2).</source>
        <translation>%1 是旧版本的文件，而且没有空间保留它的副本（%2）。</translation>
    </message>
    <message>
        <source>%1 takes a while to open.</source>
        <translation>打开 %1 需要一些时间。</translation>
    </message>
    <message>
        <source>Choose another folder or another name.</source>
        <translation>请选择其他文件夹或其他名称。</translation>
    </message>
    <message>
        <source>Free some space, or open it read-only.</source>
        <translation>请释放一些空间，或以只读方式打开。</translation>
    </message>
    <message>
        <source>%1 does not hold the tables of a project.</source>
        <translation>%1 中没有项目所需的数据表。</translation>
    </message>
    <message>
        <source>%1 has no valid version.</source>
        <translation>%1 没有有效的版本号。</translation>
    </message>
    <message>
        <source>%1 is not a project of Moss Voice Studio.</source>
        <translation>%1 不是 Moss Voice Studio 的项目。</translation>
    </message>
    <message>
        <source>%1 was made by a later version of Moss Voice Studio (file %2, this one reads %3).</source>
        <translation>%1 由更新版本的 Moss Voice Studio 创建（文件版本 %2，本程序可读取 %3）。</translation>
    </message>
    <message>
        <source>Open a file that ends in .mvs.</source>
        <translation>请打开以 .mvs 结尾的文件。</translation>
    </message>
    <message>
        <source>The beginning of %1 is damaged.</source>
        <translation>%1 的开头已损坏。</translation>
    </message>
    <message>
        <source>Update the studio to open it. The file was not changed.</source>
        <translation>请更新程序后再打开。文件没有被更改。</translation>
    </message>
    <message>
        <source>%1 is open read-only.</source>
        <translation>%1 以只读方式打开。</translation>
    </message>
    <message>
        <source>%1 is another name of %2, where changes wait since the program ended.</source>
        <translation>%1 是 %2 的另一个名称；程序结束后，那里还有更改等待处理。</translation>
    </message>
    <message>
        <source>Open it as %1.</source>
        <translation>请以 %1 打开它。</translation>
    </message>
    <message>
        <source>%1, as %2, which is the same file</source>
        <translation>%1以同一文件的另一名称 %2</translation>
    </message>
    <message>
        <source>somebody</source>
        <translation>某人</translation>
    </message>
    <message>
        <source>The file was damaged. What is whole was read; the damaged file was kept as %1.</source>
        <translation>文件已损坏。完好的部分已读取；损坏的文件保留为 %1。</translation>
    </message>
    <message>
        <source>Some paragraphs could not be read.</source>
        <translation>有些段落无法读取。</translation>
    </message>
    <message>
        <source>From an earlier day %1 could be brought back.</source>
        <translation>其中 %1 段已从较早的版本恢复。</translation>
    </message>
    <message>
        <source>One take lost audio and is marked; make it again.</source>
        <translation>有 1 条录音丢失了音频，已做标记；请重新生成。</translation>
    </message>
    <message>
        <source>%1 takes lost audio and are marked; make them again.</source>
        <translation>有 %1 条录音丢失了音频，已做标记；请重新生成。</translation>
    </message>
    <message>
        <source>Some voices could not be read; give them again from the library.</source>
        <translation>有些声音无法读取；请从声音库重新添加。</translation>
    </message>
    <message>
        <source>Earlier steps can no longer be taken back.</source>
        <translation>较早的步骤已无法撤销。</translation>
    </message>
    <message>
        <source>%1 cannot be repaired (%2).</source>
        <translation>无法修复 %1（%2）。</translation>
    </message>
    <message>
        <source>Nothing can be read from %1.</source>
        <translation>从 %1 中读不出任何内容。</translation>
    </message>
    <message>
        <source>Open a copy of it from another day.</source>
        <translation>请打开它在其他日期的副本。</translation>
    </message>
    <message>
        <source>%1 could not be read: %2</source>
        <translation>无法读取%1：%2</translation>
    </message>
    <message>
        <source>Some steps can no longer be taken back or done again.</source>
        <translation>有些步骤已无法撤销或重做。</translation>
    </message>
    <message>
        <source>The chosen take of a paragraph could not be read.</source>
        <translation>有一个段落所选的录音无法读取。</translation>
    </message>
    <message>
        <source>The script is longer than a project can be; its end was left out.</source>
        <translation>文稿超过了项目的最大长度；末尾部分未读入。</translation>
    </message>
    <message>
        <source>There are more takes than a project can have; some were left out.</source>
        <translation>录音数量超过了项目的上限；部分未读入。</translation>
    </message>
    <message>
        <source>Damage to the file may have altered the lexicon; read it over.</source>
        <translation>文件损坏可能改动了读音表；请检查一遍。</translation>
    </message>
    <message>
        <source>Damage to the file may have altered the settings or the lexicon of the project; look at them.</source>
        <translation>文件损坏可能改动了项目的设置或读音表；请检查。</translation>
    </message>
    <message>
        <source>Damage to the file may have altered these lines; read them over: %1 and %2 more.</source>
        <translation>文件损坏可能改动了以下行，请重读一遍：%1，以及另外 %2 行。</translation>
    </message>
    <message>
        <source>Damage to the file may have altered these lines; read them over: %1.</source>
        <translation>文件损坏可能改动了以下行，请重读一遍：%1。</translation>
    </message>
    <message>
        <source>Damage to the file may have altered these voices; look at their cards: %1.</source>
        <translation>文件损坏可能改动了以下声音，请查看它们的卡片：%1。</translation>
    </message>
    <message>
        <source>Damage to the file may have altered what is noted of takes (%1); listen to them.</source>
        <translation>文件损坏可能改动了 %1 条录音的记录；请试听它们。</translation>
    </message>
    <message>
        <source>Choose another place.</source>
        <translation>请选择其他位置。</translation>
    </message>
    <message>
        <source>Choose another place; the project itself is unchanged.</source>
        <translation>请选择其他位置；项目本身没有改变。</translation>
    </message>
    <message>
        <source>The project cannot be saved as %1 (%2).</source>
        <translation>无法将项目保存为 %1（%2）。</translation>
    </message>
    <message>
        <source>%1 was changed by somebody else.</source>
        <translation>%1 已被他人更改。</translation>
    </message>
    <message>
        <source>Your version was put beside it as %1.</source>
        <translation>您的版本已放在它旁边，名为 %1。</translation>
    </message>
    <message>
        <source>%1 was changed elsewhere. Your changes that had not reached the network were kept as %2.</source>
        <translation>%1 已在别处更改。您尚未传到网络上的更改已保留为 %2。</translation>
    </message>
    <message>
        <source>Changes to %1 that had not reached the network are here again.</source>
        <translation>对 %1 的、尚未传到网络上的更改已重新载入。</translation>
    </message>
    <message>
        <source>%1 takes too long to write.</source>
        <translation>写入 %1 用时过长。</translation>
    </message>
    <message>
        <source>Try again later.</source>
        <translation>请稍后再试。</translation>
    </message>
    <message>
        <source>The audio of a take cannot be read (%1).</source>
        <translation>无法读取一条录音的音频（%1）。</translation>
    </message>
    <message>
        <source>Make this take again.</source>
        <translation>请重新生成这条录音。</translation>
    </message>
    <message>
        <source>a part has an impossible length</source>
        <translation>有一部分的长度不合理</translation>
    </message>
    <message>
        <source>a part is missing</source>
        <translation>缺少一部分</translation>
    </message>
    <message>
        <source>not the audio that was stored</source>
        <translation>不是当初存入的音频</translation>
    </message>
    <message>
        <source>the audio is cut short</source>
        <translation>音频不完整</translation>
    </message>
    <message>
        <source>the audio is damaged</source>
        <translation>音频已损坏</translation>
    </message>
    <message>
        <source>the file is damaged here</source>
        <translation>文件在此处已损坏</translation>
    </message>
    <message>
        <source>A cached take is another one.</source>
        <translation>缓存的录音不是要找的那一条。</translation>
    </message>
    <message>
        <source>A cached take is cut short.</source>
        <translation>缓存的录音不完整。</translation>
    </message>
    <message>
        <source>A cached take cannot be read: %1</source>
        <translation>无法读取缓存的录音：%1</translation>
    </message>
    <message>
        <source>%1 is too large to be a reference.</source>
        <translation>%1 太大，不能用作参考片段。</translation>
    </message>
    <message>
        <source>Cut it to the part that counts.</source>
        <translation>请只截取需要的部分。</translation>
    </message>
    <message>
        <source>This snapshot is damaged.</source>
        <translation>该较早的版本已损坏。</translation>
    </message>
    <message>
        <source>This snapshot is not there any more.</source>
        <translation>该较早的版本已不存在。</translation>
    </message>
    <message>
        <source>The studio is closing.</source>
        <translation>程序正在关闭。</translation>
    </message>
    <message>
        <source>This was cancelled.</source>
        <translation>已取消。</translation>
    </message>
    <message>
        <source>The settings cannot be read (%1); the defaults are used for now.</source>
        <translation>无法读取设置（%1）；暂时使用默认设置。</translation>
    </message>
    <message>
        <source>The settings were damaged, so the defaults are used. The old file was kept as %1.</source>
        <translation>设置已损坏，因此使用默认设置。旧文件保留为 %1。</translation>
    </message>
    <message>
        <source>The settings were written by a later version; what this version does not know was left alone.</source>
        <translation>设置由更新的版本写入；本版本不认识的内容保持原样。</translation>
    </message>
</context>
<context>
    <name>MeterView</name>
    <message>
        <source>Level. Highest true peak since play: %1</source>
        <translation>电平。播放以来的最高真峰值：%1</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>电平</translation>
    </message>
    <message>
        <source>True peak %1, short-term loudness %2</source>
        <translation>真峰值 %1，短期响度 %2</translation>
    </message>
</context>
<context>
    <name>ModelButton</name>
    <message>
        <source>No model</source>
        <translation>没有模型</translation>
    </message>
</context>
<context>
    <name>ModelRow</name>
    <message>
        <source>Speaks now</source>
        <translation>正在使用</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>Installed</source>
        <translation>已安装</translation>
    </message>
    <message>
        <source>Not downloaded</source>
        <translation>未下载</translation>
    </message>
    <message>
        <source>Download stopped</source>
        <translation>下载已停止</translation>
    </message>
    <message>
        <source>Downloading</source>
        <translation>正在下载</translation>
    </message>
    <message>
        <source>Damaged</source>
        <translation>已损坏</translation>
    </message>
    <message>
        <source>In the hub’s cache on this machine</source>
        <translation>在这台电脑的模型库缓存中</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>修复</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>移除…</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>忘记</translation>
    </message>
    <message>
        <source>1 language</source>
        <translation>1 种语言</translation>
    </message>
    <message>
        <source>%1 languages</source>
        <translation>%1 种语言</translation>
    </message>
    <message>
        <source>Comes with the studio; English; five voices</source>
        <translation>随软件附带；英语；五个声音</translation>
    </message>
    <message>
        <source>Download of %1</source>
        <translation>下载 %1</translation>
    </message>
    <message>
        <source>Asking the hub…</source>
        <translation>正在询问模型库…</translation>
    </message>
    <message>
        <source>moving what had come to its new folder</source>
        <translation>正在把已下载的部分移到新文件夹</translation>
    </message>
    <message>
        <source>checking %1</source>
        <translation>正在检查 %1</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>剩余 %1</translation>
    </message>
</context>
<context>
    <name>ModelsDialog</name>
    <message>
        <source>Models and servers</source>
        <translation>模型与服务器</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>This machine</source>
        <translation>这台电脑</translation>
    </message>
    <message>
        <source>What was spoken</source>
        <translation>朗读记录</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>ModelsPage</name>
    <message>
        <source>Use a folder…</source>
        <translation>使用文件夹…</translation>
    </message>
    <message>
        <source>A checkpoint that is on this machine already; nothing is copied.</source>
        <translation>这台电脑上已有的检查点；不复制任何内容。</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>The best there is</source>
        <translation>最佳可用</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>处理器</translation>
    </message>
    <message>
        <source>Graphics card</source>
        <translation>显卡</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>How the model computes: fewer bits take less memory and are a little coarser.</source>
        <translation>模型的计算方式：位数越少，占用内存越少，声音略粗糙。</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Looking at this machine</source>
        <translation>正在检查这台电脑</translation>
    </message>
    <message>
        <source>Folder of a model</source>
        <translation>模型所在文件夹</translation>
    </message>
    <message>
        <source>Remove a model</source>
        <translation>移除模型</translation>
    </message>
    <message>
        <source>Delete “%1” from this machine? It can be downloaded again.</source>
        <translation>从这台电脑删除“%1”？以后可以重新下载。</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
</context>
<context>
    <name>MoreChoices</name>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Channels</source>
        <translation>声道</translation>
    </message>
    <message>
        <source>Stereo</source>
        <translation>立体声</translation>
    </message>
    <message>
        <source>Mono</source>
        <translation>单声道</translation>
    </message>
    <message>
        <source>Names of the files</source>
        <translation>文件名</translation>
    </message>
    <message>
        <source>What can be put in: %1</source>
        <translation>可以使用：%1</translation>
    </message>
    <message>
        <source>Names</source>
        <translation>文件名</translation>
    </message>
    <message>
        <source>Cover</source>
        <translation>封面</translation>
    </message>
    <message>
        <source>JPEG or PNG, for MP3 and M4B</source>
        <translation>JPEG 或 PNG，用于 MP3 和 M4B</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Choose a cover</source>
        <translation>选择封面</translation>
    </message>
    <message>
        <source>Cue sheet: where every line is heard, as JSON</source>
        <translation>提示表：每一行的播放位置（JSON）</translation>
    </message>
    <message>
        <source>Say in the file that the voice is synthetic</source>
        <translation>在文件中注明声音为合成</translation>
    </message>
</context>
<context>
    <name>NewVoices</name>
    <message>
        <source>Drop clips here to make voices</source>
        <translation>将片段拖到这里创建声音</translation>
    </message>
    <message>
        <source>or choose files…</source>
        <translation>或选择文件…</translation>
    </message>
    <message>
        <source>Clips of voices</source>
        <translation>声音片段</translation>
    </message>
    <message>
        <source>Sound and voices (%1)</source>
        <translation>音频和声音文件（%1）</translation>
    </message>
    <message>
        <source>Voice files</source>
        <translation>声音文件</translation>
    </message>
    <message>
        <source>Voices (%1)</source>
        <translation>声音（%1）</translation>
    </message>
    <message>
        <source>Voices are not ready yet. Drop the clip again in a moment.</source>
        <translation>声音尚未就绪。请稍后再拖入片段。</translation>
    </message>
    <message>
        <source>%1 did not become a voice: %2</source>
        <translation>%1 未能成为声音：%2</translation>
    </message>
    <message>
        <source>Kept, but: %1</source>
        <translation>已保留，但：%1</translation>
    </message>
    <message>
        <source>“%1” is ready. Drag it onto lines to let it speak them.</source>
        <translation>“%1”已就绪。将它拖到行上即可朗读。</translation>
    </message>
    <message>
        <source>%1 voices are ready.</source>
        <translation>%1 个声音已就绪。</translation>
    </message>
    <message>
        <source>This voice is here already.</source>
        <translation>此声音已经存在。</translation>
    </message>
    <message>
        <source>“%1” cannot clone %2. A model that clones can, such as MOSS-TTS-Local v1.5.</source>
        <translation>“%1”不能克隆%2。能克隆声音的模型可以，例如 MOSS-TTS-Local v1.5。</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
</context>
<context>
    <name>OptionalNumber</name>
    <message>
        <source>Several values</source>
        <translation>多个值</translation>
    </message>
</context>
<context>
    <name>Outline</name>
    <message>
        <source>Outline</source>
        <translation>大纲</translation>
    </message>
    <message>
        <source>No chapters yet</source>
        <translation>还没有章节</translation>
    </message>
    <message>
        <source>Begin a line with # to start a chapter, or with ## to start a scene.</source>
        <translation>以 # 开头的行开始一章，以 ## 开头的行开始一个场景。</translation>
    </message>
    <message>
        <source>Chapters and scenes</source>
        <translation>章与场景</translation>
    </message>
    <message>
        <source>New chapter at the caret</source>
        <translation>在光标处新建一章</translation>
    </message>
    <message>
        <source>Beginning</source>
        <translation>开头</translation>
    </message>
    <message>
        <source>Untitled chapter</source>
        <translation>未命名的章</translation>
    </message>
    <message>
        <source>Untitled scene</source>
        <translation>未命名的场景</translation>
    </message>
    <message>
        <source>Make what is missing</source>
        <translation>生成缺少的部分</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>上移</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>下移</translation>
    </message>
</context>
<context>
    <name>OutputButton</name>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Output: %1</source>
        <translation>输出：%1</translation>
    </message>
    <message>
        <source>follows the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Looking for outputs…</source>
        <translation>正在查找输出设备…</translation>
    </message>
    <message>
        <source>Follow the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>%1 (not there now)</source>
        <translation>%1（当前不存在）</translation>
    </message>
</context>
<context>
    <name>PageList</name>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
</context>
<context>
    <name>Palette</name>
    <message>
        <source>What do you want to do?</source>
        <translation>您想做什么？</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Command palette</source>
        <translation>命令面板</translation>
    </message>
</context>
<context>
    <name>PausePopup</name>
    <message>
        <source>Pause</source>
        <translation>停顿</translation>
    </message>
    <message>
        <source> s</source>
        <translation> 秒</translation>
    </message>
    <message>
        <source>%1 seconds</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>1 second</source>
        <translation>1 秒</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Length of the pause</source>
        <translation>停顿时长</translation>
    </message>
</context>
<context>
    <name>Playback</name>
    <message>
        <source>There is nothing to speak here. Write a line first.</source>
        <translation>这里没有可朗读的内容。请先写一行。</translation>
    </message>
</context>
<context>
    <name>PreferencesDialog</name>
    <message>
        <source>Preferences</source>
        <translation>首选项</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Project</source>
        <translation>项目</translation>
    </message>
    <message>
        <source>Speech</source>
        <translation>语音</translation>
    </message>
    <message>
        <source>Sound</source>
        <translation>声音</translation>
    </message>
    <message>
        <source>Shortcuts</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Changes when the studio is started again.</source>
        <translation>重新启动后生效。</translation>
    </message>
    <message>
        <source>Interface size</source>
        <translation>界面字号</translation>
    </message>
    <message>
        <source> pt</source>
        <translation> 磅</translation>
    </message>
    <message>
        <source>Script font</source>
        <translation>文稿字体</translation>
    </message>
    <message>
        <source>As the interface</source>
        <translation>与界面相同</translation>
    </message>
    <message>
        <source>Script size</source>
        <translation>文稿字号</translation>
    </message>
    <message>
        <source>Usual</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>Voice</source>
        <translation>声音</translation>
    </message>
    <message>
        <source>The model’s own</source>
        <translation>模型自带</translation>
    </message>
    <message>
        <source>Speaks every line that has no voice of its own.</source>
        <translation>朗读所有没有单独指定声音的行。</translation>
    </message>
    <message>
        <source>Not told to the model</source>
        <translation>不告知模型</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>One seed for the whole project keeps one timbre over a book.</source>
        <translation>整个项目使用一个种子，全书音色一致。</translation>
    </message>
    <message>
        <source>Chapter and scene lines are spoken</source>
        <translation>朗读章和场景标题</translation>
    </message>
    <message>
        <source>Headings</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>After a paragraph</source>
        <translation>段落之后</translation>
    </message>
    <message>
        <source>Before a scene</source>
        <translation>场景之前</translation>
    </message>
    <message>
        <source>Before a chapter</source>
        <translation>章之前</translation>
    </message>
    <message>
        <source>After a heading</source>
        <translation>标题之后</translation>
    </message>
    <message>
        <source>For an empty line</source>
        <translation>每个空行</translation>
    </message>
    <message>
        <source>Pauses</source>
        <translation>停顿</translation>
    </message>
    <message>
        <source> s</source>
        <translation> 秒</translation>
    </message>
    <message>
        <source>Room tone</source>
        <translation>房间底噪</translation>
    </message>
    <message>
        <source> dB</source>
        <translation> dB</translation>
    </message>
    <message>
        <source>Digital silence</source>
        <translation>数字静音</translation>
    </message>
    <message>
        <source>A quiet noise in the pauses instead of digital silence.</source>
        <translation>停顿中使用轻微底噪代替数字静音。</translation>
    </message>
    <message>
        <source>Speak ahead</source>
        <translation>提前朗读</translation>
    </message>
    <message>
        <source>How far ahead of the playhead lines are made while you listen.</source>
        <translation>收听时在播放位置之前提前生成多少。</translation>
    </message>
    <message>
        <source>Exact</source>
        <translation>精确</translation>
    </message>
    <message>
        <source>By the voice</source>
        <translation>由声音决定</translation>
    </message>
    <message>
        <source>Exact pauses are cut to a fiftieth of a second; the voice’s own sound more natural.</source>
        <translation>精确停顿误差在五十分之一秒内；声音自己的停顿更自然。</translation>
    </message>
    <message>
        <source>%1 cannot make pauses itself.</source>
        <translation>%1 不能自己停顿。</translation>
    </message>
    <message>
        <source>A long line goes on in the tone of what was just spoken</source>
        <translation>长句延续刚才的语气</translation>
    </message>
    <message>
        <source>%1 speaks each piece on its own.</source>
        <translation>%1 会单独朗读每一段。</translation>
    </message>
    <message>
        <source>Long lines</source>
        <translation>长句</translation>
    </message>
    <message>
        <source>Longest piece</source>
        <translation>最长片段</translation>
    </message>
    <message>
        <source>The model’s usual %1 s</source>
        <translation>模型的通常值 %1 秒</translation>
    </message>
    <message>
        <source>Longer lines are cut at the ends of sentences.</source>
        <translation>更长的句子会在句末断开。</translation>
    </message>
    <message>
        <source>The project’s</source>
        <translation>项目的</translation>
    </message>
    <message>
        <source>Another each time</source>
        <translation>每次不同</translation>
    </message>
    <message>
        <source>The same seed gives the same sound again.</source>
        <translation>相同的种子会得到相同的声音。</translation>
    </message>
    <message>
        <source>Tidy the text before speaking</source>
        <translation>朗读前整理文本</translation>
    </message>
    <message>
        <source>Markdown, arrows, dashes, repeated marks and spaces beside Chinese; words stay as they are.</source>
        <translation>整理 Markdown 标记、箭头、破折号、重复的标点和中文旁的空格；文字本身不变。</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Ask before quitting while lines are being made</source>
        <translation>正在生成时退出前询问</translation>
    </message>
    <message>
        <source>Quitting</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>“As the system” follows when the system’s output changes.</source>
        <translation>“跟随系统”会随系统输出的变化而变化。</translation>
    </message>
    <message>
        <source>Microphone</source>
        <translation>麦克风</translation>
    </message>
    <message>
        <source>For recording a voice.</source>
        <translation>用于录制声音。</translation>
    </message>
    <message>
        <source>Play at the export’s loudness</source>
        <translation>按导出响度播放</translation>
    </message>
    <message>
        <source>Loudness</source>
        <translation>响度</translation>
    </message>
    <message>
        <source>Gain and limiter as for the loudness chosen in the export, −16 LUFS where none was.</source>
        <translation>增益和限幅器与导出时所选的响度相同；未选择时为 −16 LUFS。</translation>
    </message>
</context>
<context>
    <name>ProgressDialog</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>About %1 s left</source>
        <translation>大约还需 %1 秒</translation>
    </message>
</context>
<context>
    <name>QueuePanel</name>
    <message>
        <source>Lines that are being made</source>
        <translation>正在生成的行</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>队列</translation>
    </message>
    <message>
        <source>Cancel all</source>
        <translation>全部取消</translation>
    </message>
    <message>
        <source>1 line to make</source>
        <translation>要生成 1 行</translation>
    </message>
    <message>
        <source>being spoken</source>
        <translation>正在朗读</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>%1, %2 takes</source>
        <translation>%1，%2 条录音</translation>
    </message>
    <message>
        <source>Nothing waits</source>
        <translation>没有等待的内容</translation>
    </message>
    <message>
        <source>%1 lines to make</source>
        <translation>要生成 %1 行</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>停顿</translation>
    </message>
</context>
<context>
    <name>RecordPanel</name>
    <message>
        <source>Read this in your usual voice: The harbour lay quiet in the morning light, and a few boats rocked at their ropes. Who would have thought that a day like this could bring so much? Nobody, I suppose, and that was the best of it.</source>
        <translation>请用平常的声音朗读：港湾在晨光中静静地躺着，几只小船在缆绳旁轻轻摇晃。谁会想到这样的一天竟能带来这么多？我想没有人，而这正是最美好的地方。</translation>
    </message>
    <message>
        <source>Record a voice</source>
        <translation>录制声音</translation>
    </message>
    <message>
        <source>Leave recording</source>
        <translation>离开录音</translation>
    </message>
    <message>
        <source>Listen</source>
        <translation>试听</translation>
    </message>
    <message>
        <source>Name of the voice</source>
        <translation>声音名称</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Recording is not ready yet. Try again in a moment.</source>
        <translation>录音尚未就绪。请稍后再试。</translation>
    </message>
    <message>
        <source>%1 s, a good recording.</source>
        <translation>%1 秒，录音良好。</translation>
    </message>
    <message>
        <source>My voice</source>
        <translation>我的声音</translation>
    </message>
    <message>
        <source>The recording could not be kept: %1</source>
        <translation>无法保存录音：%1</translation>
    </message>
    <message>
        <source>Recording  %1</source>
        <translation>正在录音  %1</translation>
    </message>
    <message>
        <source>Opening the microphone…</source>
        <translation>正在打开麦克风…</translation>
    </message>
    <message>
        <source>Speak: the level should reach the green. 6 to 20 s are best.</source>
        <translation>请说话：电平应达到绿色。6 到 20 秒最佳。</translation>
    </message>
    <message>
        <source>Recording starts in %1…</source>
        <translation>%1 秒后开始录音…</translation>
    </message>
    <message>
        <source>Wait</source>
        <translation>请稍候</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Record again</source>
        <translation>重新录制</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>录制</translation>
    </message>
</context>
<context>
    <name>RecoveryDialog</name>
    <message>
        <source>Recover a project</source>
        <translation>恢复项目</translation>
    </message>
    <message>
        <source>Everything is kept as it is written, also in projects without a name.</source>
        <translation>所有内容随写随存，未命名的项目也是如此。</translation>
    </message>
    <message>
        <source>What can be recovered</source>
        <translation>可以恢复的内容</translation>
    </message>
    <message>
        <source>Nothing to recover</source>
        <translation>没有可恢复的内容</translation>
    </message>
    <message>
        <source>Every project that was written in has a name.</source>
        <translation>所有写过内容的项目都已命名。</translation>
    </message>
    <message>
        <source>Put away</source>
        <translation>收起</translation>
    </message>
    <message>
        <source>Into a trash that is kept for 30 days.</source>
        <translation>放入保留 30 天的回收站。</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>以后再说</translation>
    </message>
    <message>
        <source>Recover</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Looking for lost work</source>
        <translation>正在查找丢失的内容</translation>
    </message>
    <message>
        <source>without a name</source>
        <translation>未命名</translation>
    </message>
    <message>
        <source>could not be saved</source>
        <translation>未能保存</translation>
    </message>
    <message>
        <source>was being spoken</source>
        <translation>正在朗读时中断</translation>
    </message>
    <message>
        <source>%1 words</source>
        <translation>%1 个词</translation>
    </message>
    <message>
        <source>1 word</source>
        <translation>1 个词</translation>
    </message>
    <message>
        <source>%1 unfinished takes</source>
        <translation>%1 条未完成的录音</translation>
    </message>
    <message>
        <source>1 unfinished take</source>
        <translation>1 条未完成的录音</translation>
    </message>
    <message>
        <source>damaged, will be repaired</source>
        <translation>已损坏，将会修复</translation>
    </message>
    <message>
        <source>Putting away</source>
        <translation>正在收起</translation>
    </message>
</context>
<context>
    <name>Regions</name>
    <message>
        <source>Voices</source>
        <translation>声音</translation>
    </message>
    <message>
        <source>Outline</source>
        <translation>大纲</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
    <message>
        <source>Waveform</source>
        <translation>波形</translation>
    </message>
</context>
<context>
    <name>RunsPage</name>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Today</source>
        <translation>今天</translation>
    </message>
    <message>
        <source>Week</source>
        <translation>一周</translation>
    </message>
    <message>
        <source>Month</source>
        <translation>一月</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>spoken</source>
        <translation>已朗读</translation>
    </message>
    <message>
        <source>of speech</source>
        <translation>的语音</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>suspicious</source>
        <translation>可疑</translation>
    </message>
    <message>
        <source>of real time</source>
        <translation>实时系数</translation>
    </message>
    <message>
        <source>to first sound</source>
        <translation>首音时间</translation>
    </message>
    <message>
        <source>Every run, newest first</source>
        <translation>每次朗读，最新在前</translation>
    </message>
    <message>
        <source>Enter or a double click shows the line in the script of this project.</source>
        <translation>按回车或双击可在本项目的文稿中显示该行。</translation>
    </message>
    <message>
        <source>Keep texts</source>
        <translation>保留文本</translation>
    </message>
    <message>
        <source>Otherwise only their length and a mark that tells equal texts.</source>
        <translation>否则只保留长度和能辨认相同文本的标记。</translation>
    </message>
    <message>
        <source>Keep sound</source>
        <translation>保留声音</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Clear…</source>
        <translation>清除…</translation>
    </message>
    <message>
        <source>Reading the log</source>
        <translation>正在读取记录</translation>
    </message>
    <message>
        <source>This line is not in the open project.</source>
        <translation>该行不在打开的项目中。</translation>
    </message>
    <message>
        <source>Export the log</source>
        <translation>导出记录</translation>
    </message>
    <message>
        <source>Table (*.csv);;JSON (*.json)</source>
        <translation>表格 (*.csv);;JSON (*.json)</translation>
    </message>
    <message>
        <source>1 run was written.</source>
        <translation>已写入 1 条运行记录。</translation>
    </message>
    <message>
        <source>%1 runs were written.</source>
        <translation>已写入 %1 条运行记录。</translation>
    </message>
    <message>
        <source>%1 could not be written: %2</source>
        <translation>无法写入 %1：%2</translation>
    </message>
    <message>
        <source>Exporting the log</source>
        <translation>正在导出记录</translation>
    </message>
    <message>
        <source>Clearing the log</source>
        <translation>正在清除记录</translation>
    </message>
    <message>
        <source>Clear the log</source>
        <translation>清除记录</translation>
    </message>
    <message>
        <source>Forget everything in this log, and the sound kept with it? Takes and projects stay.</source>
        <translation>忘记此记录中的一切以及随之保留的声音？录音和项目保持不变。</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
</context>
<context>
    <name>SamplingSection</name>
    <message>
        <source>Sampling</source>
        <translation>采样</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation>Top-p</translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <source>Repetition</source>
        <translation>重复</translation>
    </message>
    <message>
        <source>Higher is livelier and less sure; 0 always takes the likeliest sound.</source>
        <translation>越高越生动、越不确定；0 总是取最可能的声音。</translation>
    </message>
    <message>
        <source>Only the likeliest sounds that together reach this share are drawn from; 1 is off.</source>
        <translation>只从合计达到此比例的最可能声音中抽取；1 为关闭。</translation>
    </message>
    <message>
        <source>Only so many of the likeliest sounds are drawn from; 0 is off.</source>
        <translation>只从这么多个最可能的声音中抽取；0 为关闭。</translation>
    </message>
    <message>
        <source>Above 1, sounds that were there already become less likely.</source>
        <translation>大于 1 时，已出现过的声音可能性降低。</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>The same text, voice and seed sound the same again.</source>
        <translation>相同的文本、声音和种子会得到相同的结果。</translation>
    </message>
    <message>
        <source>Back to the project’s seed and the model’s settings</source>
        <translation>恢复为项目的种子和模型的设置</translation>
    </message>
    <message>
        <source>Model’s %1</source>
        <translation>模型的 %1</translation>
    </message>
    <message>
        <source>Project’s %1</source>
        <translation>项目的 %1</translation>
    </message>
    <message>
        <source>%1 decides the greyed ones itself.</source>
        <translation>灰色的项由 %1 自行决定。</translation>
    </message>
</context>
<context>
    <name>ScriptEditor</name>
    <message>
        <source>Script</source>
        <translation>文稿</translation>
    </message>
    <message>
        <source>Change kind of line</source>
        <translation>更改行的类型</translation>
    </message>
</context>
<context>
    <name>ScriptPanel</name>
    <message>
        <source>Write, paste, or drop a text</source>
        <translation>书写、粘贴或拖入文本</translation>
    </message>
    <message>
        <source>Every paragraph becomes a line that a voice can speak. Ctrl+Enter speaks from the caret; # begins a chapter, // a note that is never spoken.</source>
        <translation>每个段落都是一行，可由一个声音朗读。Ctrl+Enter 从光标处朗读；# 开始一章，// 是永不朗读的注释。</translation>
    </message>
    <message>
        <source>Open the sample</source>
        <translation>打开示例</translation>
    </message>
    <message>
        <source>Import a text…</source>
        <translation>导入文本…</translation>
    </message>
    <message>
        <source>Script</source>
        <translation>文稿</translation>
    </message>
    <message>
        <source>Voice</source>
        <translation>声音</translation>
    </message>
    <message>
        <source>Speak this heading</source>
        <translation>朗读此标题</translation>
    </message>
</context>
<context>
    <name>SearchField</name>
    <message>
        <source>Clear</source>
        <translation>清除</translation>
    </message>
</context>
<context>
    <name>ServerForm</name>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>as you like to call it</source>
        <translation>随您命名</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>密钥</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Interface</source>
        <translation>接口</translation>
    </message>
    <message>
        <source>Ask the server</source>
        <translation>询问服务器</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>the server’s own</source>
        <translation>服务器自带</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Speech server</source>
        <translation>语音服务器</translation>
    </message>
    <message>
        <source>How it is asked</source>
        <translation>如何请求</translation>
    </message>
    <message>
        <source>Requests at once</source>
        <translation>同时请求数</translation>
    </message>
    <message>
        <source>At once</source>
        <translation>同时</translation>
    </message>
    <message>
        <source>Form of the stream</source>
        <translation>流的形式</translation>
    </message>
    <message>
        <source>Stream</source>
        <translation>流</translation>
    </message>
    <message>
        <source>How clips reach the server</source>
        <translation>片段如何到达服务器</translation>
    </message>
    <message>
        <source>Clips</source>
        <translation>片段</translation>
    </message>
    <message>
        <source>Stereo while listening, too (starts later)</source>
        <translation>收听时也用立体声（开始较晚）</translation>
    </message>
    <message>
        <source>SGLang-Omni streams in mono; whole lines come in stereo.</source>
        <translation>SGLang-Omni 以单声道流式传输；整行为立体声。</translation>
    </message>
    <message>
        <source>Ask for lines that wait together in batches</source>
        <translation>将同时等待的行成批请求</translation>
    </message>
    <message>
        <source>unchanged</source>
        <translation>不变</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>采样</translation>
    </message>
    <message>
        <source>Events (SSE)</source>
        <translation>事件（SSE）</translation>
    </message>
    <message>
        <source>With each request</source>
        <translation>随每次请求发送</translation>
    </message>
    <message>
        <source>Uploaded once</source>
        <translation>上传一次</translation>
    </message>
    <message>
        <source>Connect again</source>
        <translation>重新连接</translation>
    </message>
    <message>
        <source>Asking the server…</source>
        <translation>正在询问服务器…</translation>
    </message>
    <message>
        <source>Asking the server</source>
        <translation>正在询问服务器</translation>
    </message>
    <message>
        <source>%1 answers.</source>
        <translation>%1 有应答。</translation>
    </message>
    <message>
        <source>Models: %1</source>
        <translation>模型：%1</translation>
    </message>
    <message>
        <source>Listening is in mono; lines made without listening are stereo.</source>
        <translation>收听时为单声道；未收听而生成的行为立体声。</translation>
    </message>
    <message>
        <source>It speaks only in the voice of a clip.</source>
        <translation>它只能用片段的声音说话。</translation>
    </message>
    <message>
        <source>It ignores temperature, top-p, top-k and repetition.</source>
        <translation>它忽略温度、top-p、top-k 和重复。</translation>
    </message>
    <message>
        <source>It ignores wanted lengths.</source>
        <translation>它忽略指定的时长。</translation>
    </message>
    <message>
        <source>Pieces of a line are not joined by continuation.</source>
        <translation>一行的各段不会接续生成。</translation>
    </message>
    <message>
        <source>Remove a server</source>
        <translation>移除服务器</translation>
    </message>
    <message>
        <source>Remove “%1”, with its key? The server itself stays as it is.</source>
        <translation>移除“%1”及其密钥？服务器本身不受影响。</translation>
    </message>
</context>
<context>
    <name>ServerVoices</name>
    <message>
        <source>Voices kept on the server</source>
        <translation>服务器上保存的声音</translation>
    </message>
    <message>
        <source>None yet. A voice that is kept there need not be sent with every line.</source>
        <translation>还没有。保存在服务器上的声音不必随每一行发送。</translation>
    </message>
    <message>
        <source>Upload a voice…</source>
        <translation>上传声音…</translation>
    </message>
    <message>
        <source>Delete from the server…</source>
        <translation>从服务器删除…</translation>
    </message>
    <message>
        <source>%1: say first whose voice it is</source>
        <translation>%1：请先说明这是谁的声音</translation>
    </message>
    <message>
        <source>Add a voice to the voices panel first</source>
        <translation>请先在声音面板中添加声音</translation>
    </message>
    <message>
        <source>Uploading a voice</source>
        <translation>正在上传声音</translation>
    </message>
    <message>
        <source>Delete a voice</source>
        <translation>删除声音</translation>
    </message>
    <message>
        <source>Delete “%1” from the server? Others who use the server lose it, too.</source>
        <translation>从服务器删除“%1”？使用该服务器的其他人也会失去它。</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Deleting a voice</source>
        <translation>正在删除声音</translation>
    </message>
</context>
<context>
    <name>ServersPage</name>
    <message>
        <source>Speech servers</source>
        <translation>语音服务器</translation>
    </message>
    <message>
        <source>Add a server</source>
        <translation>添加服务器</translation>
    </message>
    <message>
        <source>Speak through a server</source>
        <translation>通过服务器朗读</translation>
    </message>
    <message>
        <source>A speech server (SGLang-Omni or vLLM-Omni) runs the large model on a machine that can carry it.</source>
        <translation>语音服务器（SGLang-Omni 或 vLLM-Omni）在能承载的机器上运行大模型。</translation>
    </message>
</context>
<context>
    <name>Session</name>
    <message>
        <source>Open a project or a text</source>
        <translation>打开项目或文本</translation>
    </message>
    <message>
        <source>Import a text</source>
        <translation>导入文本</translation>
    </message>
    <message>
        <source>Work of an earlier run could not be saved and is still here: File, %1.</source>
        <translation>上次运行的内容未能保存，但仍在这里：文件，%1。</translation>
    </message>
    <message>
        <source>Looking for lost work</source>
        <translation>正在查找丢失的内容</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>未命名</translation>
    </message>
    <message>
        <source>%1 is still being saved. Open it again in a moment.</source>
        <translation>%1 仍在保存。请稍后再打开。</translation>
    </message>
    <message>
        <source>Opening %1</source>
        <translation>正在打开 %1</translation>
    </message>
    <message>
        <source>Your last project is open in another window. This window has a new script.</source>
        <translation>上次的项目已在另一个窗口中打开。此窗口是一份新文稿。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open it here to read and listen? Changes made here are kept only under another name.</source>
        <translation>要在这里打开以阅读和收听吗？在这里所做的更改只能以其他名称保存。</translation>
    </message>
    <message>
        <source>Open read-only</source>
        <translation>以只读方式打开</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source> (read only)</source>
        <translation>（只读）</translation>
    </message>
    <message>
        <source>No projects yet</source>
        <translation>还没有项目</translation>
    </message>
    <message>
        <source>Texts and books (%1);;All files (*)</source>
        <translation>文本和书籍 (%1);;所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>ShortcutsPage</name>
    <message>
        <source>Search actions</source>
        <translation>搜索操作</translation>
    </message>
    <message>
        <source>Actions and their keys</source>
        <translation>操作及其按键</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>New keys</source>
        <translation>新按键</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>重置</translation>
    </message>
    <message>
        <source>No keys</source>
        <translation>无按键</translation>
    </message>
    <message>
        <source>%1 is used by “%2”. Press it again to move it here.</source>
        <translation>“%2”正在使用 %1。再按一次即可移到这里。</translation>
    </message>
</context>
<context>
    <name>SpeakerSection</name>
    <message>
        <source>Voice</source>
        <translation>声音</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Gain of the voice</source>
        <translation>声音的增益</translation>
    </message>
    <message>
        <source> dB</source>
        <translation> dB</translation>
    </message>
    <message>
        <source>Louder or quieter in all lines of this voice; nothing is spoken again.</source>
        <translation>让使用此声音的所有行更响或更轻；无需重新朗读。</translation>
    </message>
    <message>
        <source>Voice’s gain</source>
        <translation>声音增益</translation>
    </message>
    <message>
        <source>Project’s (%1)</source>
        <translation>项目的（%1）</translation>
    </message>
    <message>
        <source>any</source>
        <translation>任意</translation>
    </message>
</context>
<context>
    <name>SpeedButton</name>
    <message>
        <source>Review speed: %1</source>
        <translation>试听速度：%1</translation>
    </message>
    <message>
        <source>Review speed, with the pitch kept. Export is not changed.</source>
        <translation>试听速度，音高不变。不影响导出。</translation>
    </message>
</context>
<context>
    <name>Status</name>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Time to first audio: from asking until the first sound is handed over</source>
        <translation>首音时间：从请求到交出第一段声音</translation>
    </message>
    <message>
        <source>Audible delay: time to first audio and the device’s buffer</source>
        <translation>可听延迟：首音时间加设备缓冲</translation>
    </message>
    <message>
        <source>Real-time factor: time spent for each second of speech; below 1 is faster than listening</source>
        <translation>实时系数：每秒语音所需的时间；小于 1 即快于收听</translation>
    </message>
    <message>
        <source>Lead: speech that is ready ahead of the playhead</source>
        <translation>提前量：播放位置之前已就绪的语音</translation>
    </message>
    <message>
        <source>Underruns: times the sound device ran dry</source>
        <translation>欠载：声音设备断流的次数</translation>
    </message>
    <message>
        <source>Memory the model uses</source>
        <translation>模型使用的内存</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>What happens now</source>
        <translation>当前正在做什么</translation>
    </message>
    <message>
        <source>Lines that are being made</source>
        <translation>正在生成的行</translation>
    </message>
    <message>
        <source>TTFA %1</source>
        <translation>首音 %1</translation>
    </message>
    <message>
        <source>audible %1</source>
        <translation>可听 %1</translation>
    </message>
    <message>
        <source>RTF %1</source>
        <translation>RTF %1</translation>
    </message>
    <message>
        <source>lead %1</source>
        <translation>提前 %1</translation>
    </message>
    <message>
        <source>underruns %1</source>
        <translation>欠载 %1</translation>
    </message>
    <message>
        <source>Loading the model: %1</source>
        <translation>正在加载模型：%1</translation>
    </message>
    <message>
        <source>%1 of %2 lines</source>
        <translation>%2 行中的 %1 行</translation>
    </message>
    <message>
        <source>%1 of %2 takes</source>
        <translation>%1 / %2 条录音</translation>
    </message>
    <message>
        <source>%1 of 1 line</source>
        <translation>1 行中的 %1 行</translation>
    </message>
    <message>
        <source>%1 of 1 take</source>
        <translation>%1 / 1 条录音</translation>
    </message>
    <message>
        <source>Speaking ahead</source>
        <translation>正在提前朗读</translation>
    </message>
    <message>
        <source>Paused: %1</source>
        <translation>已暂停：%1</translation>
    </message>
    <message>
        <source>Waiting for speech</source>
        <translation>正在等待语音</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
</context>
<context>
    <name>Studio</name>
    <message>
        <source>This voice is not there any more. Choose another one.</source>
        <translation>此声音已不存在。请另选一个。</translation>
    </message>
</context>
<context>
    <name>TagEditing</name>
    <message>
        <source>Select the word whose pronunciation you want to change.</source>
        <translation>请选择要更改读音的词。</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Length of this line</source>
        <translation>本行时长</translation>
    </message>
    <message>
        <source>Pause of %1 s. Drag it sideways to change it, click it to type.</source>
        <translation>停顿 %1 秒。左右拖动可更改，点击可输入。</translation>
    </message>
    <message>
        <source>This line must last %1 s. Click to change it.</source>
        <translation>本行必须持续 %1 秒。点击可更改。</translation>
    </message>
    <message>
        <source>“%1” is spoken “%2”.</source>
        <translation>“%1”读作“%2”。</translation>
    </message>
</context>
<context>
    <name>TakesSection</name>
    <message>
        <source>Takes</source>
        <translation>录音</translation>
    </message>
    <message>
        <source>Takes of this line</source>
        <translation>本行的录音</translation>
    </message>
    <message>
        <source>Selected sentences again</source>
        <translation>重新朗读所选句子</translation>
    </message>
    <message>
        <source>Select one line to see its takes. “Speak again” works on all %1.</source>
        <translation>选择一行即可查看其录音。“再读一遍”对全部 %1 行有效。</translation>
    </message>
    <message>
        <source>Not spoken yet.</source>
        <translation>尚未朗读。</translation>
    </message>
    <message>
        <source>Take %1</source>
        <translation>第 %1 条</translation>
    </message>
    <message>
        <source>chosen</source>
        <translation>已选</translation>
    </message>
    <message>
        <source>being made</source>
        <translation>正在生成</translation>
    </message>
    <message>
        <source>not complete</source>
        <translation>不完整</translation>
    </message>
    <message>
        <source>may be wrong</source>
        <translation>可能有误</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>of an older text</source>
        <translation>属于旧文本</translation>
    </message>
    <message>
        <source>Seed %1</source>
        <translation>种子 %1</translation>
    </message>
</context>
<context>
    <name>TextField</name>
    <message>
        <source>Several values</source>
        <translation>多个值</translation>
    </message>
</context>
<context>
    <name>Toast</name>
    <message>
        <source>Close this message</source>
        <translation>关闭此消息</translation>
    </message>
</context>
<context>
    <name>Toolbar</name>
    <message>
        <source>Toolbar</source>
        <translation>工具栏</translation>
    </message>
    <message>
        <source>Voice of the selected lines</source>
        <translation>所选行的声音</translation>
    </message>
    <message>
        <source>Language of the selected lines</source>
        <translation>所选行的语言</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Several voices</source>
        <translation>多个声音</translation>
    </message>
    <message>
        <source>Voice</source>
        <translation>声音</translation>
    </message>
    <message>
        <source>Any language</source>
        <translation>任意语言</translation>
    </message>
    <message>
        <source>Several languages</source>
        <translation>多种语言</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Project’s language</source>
        <translation>项目的语言</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
</context>
<context>
    <name>Transport</name>
    <message>
        <source>Transport</source>
        <translation>播放控制</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>停顿</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
</context>
<context>
    <name>Unfinished</name>
    <message>
        <source>Do not make them</source>
        <translation>不再生成</translation>
    </message>
    <message>
        <source>Resume rendering 1 line</source>
        <translation>继续生成 1 行</translation>
    </message>
    <message>
        <source>Resume rendering %1 lines</source>
        <translation>继续生成 %1 行</translation>
    </message>
    <message>
        <source>They were not finished when the project was left.</source>
        <translation>上次离开项目时它们尚未完成。</translation>
    </message>
    <message>
        <source>The model is still loading. Try again in a moment.</source>
        <translation>模型仍在加载。请稍后再试。</translation>
    </message>
</context>
<context>
    <name>VersionsDialog</name>
    <message>
        <source>Earlier versions</source>
        <translation>较早的版本</translation>
    </message>
    <message>
        <source>The script as it was. Undo brings back what you have now.</source>
        <translation>文稿当时的样子。撤销可恢复现在的内容。</translation>
    </message>
    <message>
        <source>No earlier version yet</source>
        <translation>还没有较早的版本</translation>
    </message>
    <message>
        <source>One is kept when a project with text is opened and changed.</source>
        <translation>打开并修改有文字的项目时会保留一个版本。</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Bring back</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Looking for earlier versions</source>
        <translation>正在查找较早的版本</translation>
    </message>
    <message>
        <source>as it was when it was opened last</source>
        <translation>上次打开时的样子</translation>
    </message>
    <message>
        <source>as it was on that day</source>
        <translation>当天的样子</translation>
    </message>
    <message>
        <source>%1 words</source>
        <translation>%1 个词</translation>
    </message>
    <message>
        <source>1 word</source>
        <translation>1 个词</translation>
    </message>
    <message>
        <source>The script is as it was. Undo brings back what you had.</source>
        <translation>文稿已恢复到当时的样子。撤销可恢复之前的内容。</translation>
    </message>
</context>
<context>
    <name>VoiceCare</name>
    <message>
        <source>Care for a voice</source>
        <translation>照料声音</translation>
    </message>
    <message>
        <source>Hear the part that counts</source>
        <translation>试听有效部分</translation>
    </message>
    <message>
        <source>Done with this voice</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>修复</translation>
    </message>
    <message>
        <source>What is said in this part of the clip (optional)</source>
        <translation>片段这一部分所说的内容（可选）</translation>
    </message>
    <message>
        <source>Words of the clip</source>
        <translation>片段的文字</translation>
    </message>
    <message>
        <source>Used only when a model goes on from the clip; cloning a voice needs no words.</source>
        <translation>仅在模型从片段接着说时使用；克隆声音不需要文字。</translation>
    </message>
    <message>
        <source>Language of the clip</source>
        <translation>片段的语言</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Tags, with commas</source>
        <translation>标签，用逗号分隔</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Good</source>
        <translation>良好</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>注释</translation>
    </message>
    <message>
        <source>Bad</source>
        <translation>不佳</translation>
    </message>
    <message>
        <source>The part changed: the words must be those of this part alone.</source>
        <translation>有效部分已更改：文字必须只是这一部分的内容。</translation>
    </message>
    <message>
        <source>Used only when a model goes on from the clip.</source>
        <translation>仅在模型从片段接着说时使用。</translation>
    </message>
    <message>
        <source>There was nothing to mend.</source>
        <translation>没有需要修复的地方。</translation>
    </message>
</context>
<context>
    <name>VoiceDeeds</name>
    <message>
        <source>“%1” is in the trash of the voices.</source>
        <translation>“%1”在声音回收站中。</translation>
    </message>
    <message>
        <source>Save the voice</source>
        <translation>保存声音</translation>
    </message>
    <message>
        <source>Saved as %1</source>
        <translation>已保存为 %1</translation>
    </message>
</context>
<context>
    <name>VoiceDelegate</name>
    <message>
        <source>Name of the voice</source>
        <translation>声音名称</translation>
    </message>
    <message>
        <source>needs another model</source>
        <translation>需要另一个模型</translation>
    </message>
    <message>
        <source>1 line</source>
        <translation>1 行</translation>
    </message>
    <message>
        <source>%1 lines</source>
        <translation>%1 行</translation>
    </message>
    <message>
        <source>comes with the model</source>
        <translation>模型自带</translation>
    </message>
</context>
<context>
    <name>VoiceList</name>
    <message>
        <source>Voices</source>
        <translation>声音</translation>
    </message>
</context>
<context>
    <name>VoiceMenus</name>
    <message>
        <source>Trash</source>
        <translation>回收站</translation>
    </message>
    <message>
        <source>Hear its clip</source>
        <translation>试听其片段</translation>
    </message>
    <message>
        <source>Give it to the selected lines</source>
        <translation>用于所选行</translation>
    </message>
    <message>
        <source>Clip, words and tags…</source>
        <translation>片段、文字和标签…</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>No favourite any more</source>
        <translation>取消收藏</translation>
    </message>
    <message>
        <source>Favourite</source>
        <translation>收藏</translation>
    </message>
    <message>
        <source>Colour</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>Save as a file…</source>
        <translation>另存为文件…</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Sea green</source>
        <translation>海绿</translation>
    </message>
    <message>
        <source>Orange</source>
        <translation>橙</translation>
    </message>
    <message>
        <source>Blue</source>
        <translation>蓝</translation>
    </message>
    <message>
        <source>Orchid</source>
        <translation>兰紫</translation>
    </message>
    <message>
        <source>Gold</source>
        <translation>金</translation>
    </message>
    <message>
        <source>Turquoise</source>
        <translation>绿松石</translation>
    </message>
    <message>
        <source>Rose</source>
        <translation>玫瑰</translation>
    </message>
    <message>
        <source>Violet</source>
        <translation>紫罗兰</translation>
    </message>
    <message>
        <source>Leaf green</source>
        <translation>叶绿</translation>
    </message>
    <message>
        <source>Brown</source>
        <translation>棕</translation>
    </message>
    <message>
        <source>Teal</source>
        <translation>青绿</translation>
    </message>
    <message>
        <source>Grey</source>
        <translation>灰</translation>
    </message>
    <message>
        <source>Restore “%1”</source>
        <translation>恢复“%1”</translation>
    </message>
    <message>
        <source>Empty the trash</source>
        <translation>清空回收站</translation>
    </message>
    <message>
        <source>The trash is empty</source>
        <translation>回收站是空的</translation>
    </message>
</context>
<context>
    <name>Voices</name>
    <message>
        <source>Project’s voice</source>
        <translation>项目的声音</translation>
    </message>
    <message>
        <source>comes with the model</source>
        <translation>模型自带</translation>
    </message>
    <message>
        <source>Voices</source>
        <translation>声音</translation>
    </message>
    <message>
        <source>Search voices and tags</source>
        <translation>搜索声音和标签</translation>
    </message>
    <message>
        <source>No voice matches.</source>
        <translation>没有匹配的声音。</translation>
    </message>
    <message>
        <source>Add a voice from a file</source>
        <translation>从文件添加声音</translation>
    </message>
    <message>
        <source>More about voices</source>
        <translation>声音的更多操作</translation>
    </message>
    <message>
        <source>Import a voice file…</source>
        <translation>导入声音文件…</translation>
    </message>
    <message>
        <source>Voices that come with the model stay as they are.</source>
        <translation>模型自带的声音保持不变。</translation>
    </message>
</context>
<context>
    <name>Waveform</name>
    <message>
        <source>Waveform</source>
        <translation>波形</translation>
    </message>
    <message>
        <source>Nothing to hear yet</source>
        <translation>还没有可听的内容</translation>
    </message>
    <message>
        <source>Write a line and press Ctrl+Enter: its sound grows here.</source>
        <translation>写一行并按 Ctrl+Enter：声音会在这里生长。</translation>
    </message>
    <message>
        <source>Show more time</source>
        <translation>显示更长时间</translation>
    </message>
    <message>
        <source>Show less time</source>
        <translation>显示更短时间</translation>
    </message>
    <message>
        <source>Show the whole programme</source>
        <translation>显示整个节目</translation>
    </message>
    <message>
        <source>Position %1</source>
        <translation>位置 %1</translation>
    </message>
</context>
<context>
    <name>Window</name>
    <message>
        <source>The settings could not be saved: %1</source>
        <translation>无法保存设置：%1</translation>
    </message>
    <message>
        <source>These files are neither sound nor text. Drop a clip to make a voice, or a text to read.</source>
        <translation>这些文件既不是音频也不是文本。拖入片段创建声音，或拖入文本朗读。</translation>
    </message>
</context>
<context>
    <name>Words</name>
    <message>
        <source>, </source>
        <translation>，</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
</context>
<context>
    <name>Work</name>
    <message>
        <source>Locked lines keep their takes. Unlock them to speak them again.</source>
        <translation>锁定的行保留其录音。解锁后才能重新朗读。</translation>
    </message>
    <message>
        <source>Notes and empty lines are never spoken.</source>
        <translation>注释和空行永远不会被朗读。</translation>
    </message>
    <message>
        <source>Nothing of the line would stay, so it is spoken again as a whole.</source>
        <translation>这一行没有可以保留的部分，因此整行重新朗读。</translation>
    </message>
    <message>
        <source>Take deleted. Undo brings it back.</source>
        <translation>录音已删除。撤销可恢复。</translation>
    </message>
    <message>
        <source>No line is suspicious.</source>
        <translation>没有可疑的行。</translation>
    </message>
    <message>
        <source>The model is still loading. Try again in a moment.</source>
        <translation>模型仍在加载。请稍后再试。</translation>
    </message>
    <message>
        <source>Everything here is spoken already.</source>
        <translation>这里的内容都已朗读。</translation>
    </message>
    <message>
        <source>1 line is being made: about %2 of speech</source>
        <translation>正在生成 1 行：语音约 %2</translation>
    </message>
    <message>
        <source>%1 lines are being made: about %2 of speech</source>
        <translation>正在生成 %1 行：约 %2 的语音</translation>
    </message>
    <message>
        <source>, ready in about %1</source>
        <translation>，大约 %1 后完成</translation>
    </message>
    <message>
        <source>%1 lines spoken</source>
        <translation>已朗读 %1 行</translation>
    </message>
    <message>
        <source>1 line spoken</source>
        <translation>已朗读 1 行</translation>
    </message>
    <message>
        <source>%1 suspicious (F8 goes to the next)</source>
        <translation>%1 行可疑（F8 转到下一个）</translation>
    </message>
    <message>
        <source>%1 failed</source>
        <translation>%1 行失败</translation>
    </message>
</context>
<context>
    <name>_Level</name>
    <message>
        <source>Level of the microphone</source>
        <translation>麦克风电平</translation>
    </message>
</context>
<context>
    <name>_Runs</name>
    <message>
        <source>When</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>First sound</source>
        <translation>首音</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>good</source>
        <translation>良好</translation>
    </message>
    <message>
        <source>suspicious</source>
        <translation>可疑</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>1 character</source>
        <translation>1 个字符</translation>
    </message>
    <message>
        <source>%1 characters</source>
        <translation>%1 个字符</translation>
    </message>
</context>
<context>
    <name>_Time</name>
    <message>
        <source>Position</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>Length of the programme</source>
        <translation>节目时长</translation>
    </message>
    <message>
        <source>Estimated: some lines were not spoken yet, or were changed since.</source>
        <translation>估计值：部分行尚未朗读或已更改。</translation>
    </message>
</context>
<context>
    <name>_TitleBar</name>
    <message>
        <source>Close %1</source>
        <translation>关闭%1</translation>
    </message>
</context>
<context>
    <name>assembly</name>
    <message>
        <source>Deleting what a killed service left</source>
        <translation>正在删除被终止的服务留下的内容</translation>
    </message>
    <message>
        <source>Holding the takes of the project</source>
        <translation>正在保留项目的录音</translation>
    </message>
</context>
</TS>
